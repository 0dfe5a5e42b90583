// The figures of the charts, counted once more by DuckDB from Parquet files: `npm run recount`, or with another number
// of statements: `npm run recount -- 1000000`. 100,000 take about two minutes.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { startPostgres } from '../../start/postgres.ts'
import { databaseAt } from '../support/database.ts'
import { startSystem } from '../support/system.ts'
import { databaseUrl } from '../support/template.ts'
import { recount } from './recount.ts'

const statements = Number(process.argv[2] ?? 100_000)
const began = Date.now()
const log = (line: string): void =>
  void process.stdout.write(`${((Date.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}\n`)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-recount-')))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: 60 } })
try {
  const system = await startSystem({ gateways: 0, database: databaseAt(databaseUrl(postgres.url, 'lrs')) })
  try {
    const { charts, recount: counted } = await recount(system, { statements, days: 30, log })
    for (const [name, figures] of Object.entries(counted)) {
      const told = charts[name as keyof typeof charts]
      const isEqual = isDeepStrictEqual(figures, told)
      log(isEqual ? `${name}: equal` : `${name}: charts ${JSON.stringify(told)}, recount ${JSON.stringify(figures)}`)
      if (!isEqual) process.exitCode = 1
    }
  } finally {
    await system.close()
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
