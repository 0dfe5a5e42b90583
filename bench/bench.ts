import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import { readArguments, usage, type Arguments } from './arguments.ts'
import { startLoad } from './load/load.ts'
import { progress } from './progress.ts'
import type { Line, Suite } from './suite.ts'
import { suites } from './suites.ts'
import { prepareDatabase, startSystem } from './system.ts'
import { cpuTableOf, isMet, tableOf } from './table.ts'

let options: Arguments
try {
  options = readArguments(process.argv.slice(2), suites.map(({ name }) => name))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n${usage}\n`)
  process.exit(2)
}

const chosen = suites.filter(({ name }) => options.suites.includes(name))
const folder = mkdtempSync(join(tmpdir(), 'lrs-bench-'))
const dataDir = resolve(options.data ?? join(folder, 'postgres'))
let seeds = Date.now() % 1_000_000_000

// Postgres and the processes end with this one
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    process.exit(130)
  })
}

progress('starting Postgres')
const postgres = await startPostgres({ dataDir, durable: true, settings: { max_connections: 120 }, log: join(folder, 'postgres.log') })
const lines: Line[] = []
let failure: unknown
try {
  for (const size of options.sizes) lines.push(...(await runAt(postgres, size)))
  lines.push(...growthOf(lines))
} catch (error) {
  failure = error
} finally {
  await postgres.stop()
  if (!options.profile) rmSync(folder, { recursive: true, force: true })
}

if (lines.length > 0) process.stdout.write(`\n${tableOf(lines)}\n${cpuTableOf(lines)}`)
if (options.profile) process.stderr.write(`Profiles and logs are in ${folder}\n`)
if (failure === undefined && options.output !== undefined) save(options.output)
if (failure !== undefined) {
  process.stderr.write(`The bench broke off: ${(failure as Error).stack}\n`)
  process.exit(1)
}

async function runAt(postgres: Postgres, size: number): Promise<Line[]> {
  const last = size === options.sizes.at(-1)
  const { databaseUrl, credential } = await prepareDatabase(postgres, `bench_${size}`, size, (done) => progress(`filling: ${done} of ${size}`))
  progress(`the store holds ${size} statements`, true)
  const { rounds, ms, minutes, profile } = options
  const system = await startSystem({ databaseUrl, folder, profile })
  const load = startLoad()
  const watched = { gateway: system.gateway.pid, core: system.core.pid, postgres: postgres.pid }
  const found: Line[] = []
  try {
    for (const suite of chosen.filter(({ once }) => last || !once)) found.push(...(await runSuite(suite)))
  } finally {
    load.close()
    await system.stop()
  }
  return found

  function runSuite(suite: Suite): Promise<Line[]> {
    return suite.run({ size, databaseUrl, credential, postgres, system, load, watched, folder, rounds, ms, minutes, profile, seed: () => ++seeds })
  }
}

/** How the p99 of pages grows from the smallest store to the largest. */
function growthOf(lines: readonly Line[]): Line[] {
  const [smallest, largest] = [Math.min(...options.sizes), Math.max(...options.sizes)]
  if (smallest === largest) return []
  return lines
    .filter(({ suite, size }) => suite === 'get-page' && size === largest)
    .map(({ measure, p99 }) => {
      const before = lines.find((line) => line.measure === measure && line.size === smallest)!
      return { suite: 'get-page', measure: `${measure}: p99 by that at ${smallest}`, size: largest, unit: 'times', value: p99! / before.p99!, goal: { atMost: 1.5 } }
    })
}

function save(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, platform: `${process.platform}-${process.arch}`, node: process.version, postgres: postgres.version }
  const run = { at: new Date().toISOString(), machine, options: { ...options, data: undefined, output: undefined }, met: lines.every(isMet), lines }
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`)
  process.stderr.write(`Saved as ${file}\n`)
}
