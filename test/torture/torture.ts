// Kills processes at random while clients write and read, and then counts: `npm run torture -- --seed 7 --kills 200
// --statements 200000`.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table, torment } from './torment.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string', default: '200' },
    statements: { type: 'string', default: '200000' },
    // the second cell on a second Postgres server
    servers: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-torture-')))
process.stdout.write(
  `seed ${seed} (npm run torture -- --seed ${seed} repeats the draws; what the system does in between is its own)\n`,
)
try {
  const outcome = await torment({
    folder,
    seed,
    kills: Number(values.kills),
    statements: Number(values.statements),
    twoServers: values.servers,
    say: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(`\n${table(outcome)}\n`)
  process.exitCode = outcome.failures.length > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
