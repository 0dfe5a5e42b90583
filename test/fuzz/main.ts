// Odd requests to every route and method of all processes: `npm run fuzz -- --requests 100000 --seed 7`.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../start/postgres.ts'
import { databaseAt } from '../support/database.ts'
import { startPortalSystem } from '../support/portal.ts'
import { databaseUrl } from '../support/template.ts'
import { fuzz } from './fuzz.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    requests: { type: 'string', default: '100000' },
    hang: { type: 'string', default: '1000' },
    dialect: { type: 'string', default: 'games' },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const say = (line: string) => void process.stdout.write(`${line}\n`)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-fuzz-')))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false })
say(`seed ${seed}`)
process.on('unhandledRejection', (error) => {
  say(`an unhandled rejection: ${(error as Error)?.stack ?? String(error)}`)
  process.exitCode = 1
})
try {
  const system = await startPortalSystem({
    dialect: values.dialect === 'xapi' ? 'xapi' : 'games',
    database: databaseAt(databaseUrl(postgres.url, 'lrs')),
  })
  const { statuses, readAgain, failures } = await fuzz(system, {
    seed,
    requests: Number(values.requests),
    hang: Number(values.hang),
    say,
  })
  say(
    `\n${Object.entries(statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ')}\naccepted and read again: ${readAgain}\nfailures: ${failures.length}`,
  )
  for (const failure of failures.slice(0, 20)) say(`\n${failure}`)
  if (failures.length > 0) process.exitCode = 1
  await system.close().catch((error: Error) => say(error.message))
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
