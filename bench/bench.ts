import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import { readArguments, usage, type Arguments } from './arguments.ts'
import { growing } from './modes/grow.ts'
import { littleMemory } from './modes/memory.ts'
import { filled } from './modes/suites.ts'
import { progress } from './progress.ts'
import type { Run } from './run.ts'
import { suites } from './suites.ts'
import { cpuTableOf, isMet, tableOf } from './table.ts'

let options: Arguments
try {
  options = readArguments(
    process.argv.slice(2),
    suites.map(({ name }) => name),
    suites.filter(({ asked }) => !asked).map(({ name }) => name),
  )
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  // for a wrong name the message lists the names, and that is enough
  if (!(error as Error).message.startsWith('There is no')) process.stderr.write(`${usage}\n`)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'lrs-bench-'))
const dataDir = resolve(options.data ?? join(folder, 'postgres'))
let seeds = Date.now() % 1_000_000_000
let server: Postgres | undefined

// Postgres and the processes end with this one
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    process.exit(130)
  })
}

const run: Run = {
  options,
  folder,
  dataDir,
  lines: [],
  async start(settings = {}) {
    await server?.stop()
    progress('starting Postgres')
    server = await startPostgres({
      dataDir,
      durable: true,
      settings: { max_connections: 120, ...settings },
      log: join(folder, 'postgres.log'),
    })
    return server
  },
  seed: () => ++seeds,
}

let failure: unknown
try {
  await { suites: filled, grow: growing, memory: littleMemory }[options.mode](run)
} catch (error) {
  failure = error
} finally {
  await server?.stop()
  if (!options.profile) rmSync(folder, { recursive: true, force: true })
}

const { lines } = run
if (lines.length > 0) process.stdout.write(`\n${tableOf(lines)}\n${cpuTableOf(lines)}`)
if (options.profile) process.stderr.write(`Profiles and logs are in ${folder}\n`)
if (failure === undefined && options.output !== undefined) save(options.output)
if (failure !== undefined) {
  process.stderr.write(`The bench broke off: ${(failure as Error).stack}\n`)
  process.exit(1)
}

function save(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    postgres: server?.version,
  }
  const saved = {
    at: new Date().toISOString(),
    machine,
    options: { ...options, data: undefined, output: undefined },
    met: lines.every(isMet),
    lines,
  }
  writeFileSync(file, `${JSON.stringify(saved, null, 2)}\n`)
  process.stderr.write(`Saved as ${file}\n`)
}
