// The figures of the charts, counted once more by DuckDB from Parquet files: `npm run recount`, or with another number
// of statements: `npm run recount -- 1000000`. They are counted six times: see recount.ts.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../start/postgres.ts'
import { databaseAt } from '../support/database.ts'
import { startSystem } from '../support/system.ts'
import { databaseUrl } from '../support/template.ts'
import { recount, type Compared } from './recount.ts'

const statements = Number(process.argv[2] ?? 100_000)
const began = Date.now()
const log = (line: string): void =>
  void process.stdout.write(`${((Date.now() - began) / 1000).toFixed(1).padStart(7)} s  ${line}\n`)
const numbersIn = (value: unknown): unknown[] => (Array.isArray(value) ? value.flatMap(numbersIn) : [value])
const text = (value: unknown): string => JSON.stringify(value).slice(0, 2_000)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-recount-')))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: 60 } })
try {
  const system = await startSystem({ gateways: 0, database: databaseAt(databaseUrl(postgres.url, 'lrs')) })
  try {
    let [figures, unequal] = [0, 0]
    const hear = ({ when, charts, recount }: Compared) => {
      for (const [name, counted] of Object.entries(recount)) {
        const [told, other] = [charts[name], counted].map(numbersIn) as [unknown[], unknown[]]
        const differ = Math.abs(told.length - other.length) + other.filter((value, n) => value !== told[n]).length
        figures += other.length
        unequal += differ
        if (differ > 0) log(`${when}, ${name}: charts ${text(charts[name])}, recount ${text(counted)}`)
      }
      log(`${figures} figures so far: ${unequal} unequal`)
    }
    const { sent } = await recount(system, { statements, days: 30, log, hear })
    log(`${sent} statements, ${figures} figures: ${unequal} unequal`)
    if (unequal > 0) process.exitCode = 1
  } finally {
    await system.close()
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
