// Ten times what it can take, and what becomes of it: `npm run overload -- --seconds 120`.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../start/postgres.ts'
import { databaseAt } from '../support/database.ts'
import { startProcesses } from '../support/processes.ts'
import { statements } from '../support/statements.ts'
import { databaseUrl } from '../support/template.ts'
import { clients, type Told } from './clients.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '120' }, statements: { type: 'string', default: '50' } },
})
const [seconds, size] = [Number(values.seconds), Number(values.statements)]
const MiB = 1024 * 1024
/** Clients that ask again as soon as they are answered, to find out what it can take. */
const eager = 64
const connections = 1_000
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-overload-')))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
const processes = await startProcesses({
  cores: 1,
  gateways: 1,
  database: databaseAt(databaseUrl(postgres.url, 'lrs')),
})

const memoryOf = (pid: number): number =>
  process.platform === 'linux'
    ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
    : Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })) * 1024

interface Outcome {
  ok: number[]
  refused: number[]
  other: string[]
  unsent: number
}

/** Requests of a game: a page every fourth, else statements with ids that never were. */
function requestsOf(authorization: string, game: number): () => Buffer {
  const headers = `Host: overload\r\nAuthorization: ${authorization}\r\nX-Experience-API-Version: 1.0.3\r\n`
  const page = Buffer.from(`GET /xapi/statements?limit=50 HTTP/1.1\r\n${headers}\r\n`)
  const body = JSON.stringify(statements(size))
  const post = Buffer.from(
    `POST /xapi/statements HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const places = [...post.toString('latin1').matchAll(/"id":"[0-9a-f]{8}-/g)].map(
    ({ index }) => index + '"id":"00000000-0000-4000-8000-'.length,
  )
  let count = game
  let ids = game * 2 ** 40
  return () => {
    if (count++ % 4 === 0) return page
    const next = Buffer.from(post)
    for (const place of places) next.write((ids++).toString(16).padStart(12, '0'), place, 'latin1')
    return next
  }
}

const games = await Promise.all(Array.from({ length: 8 }, () => processes.game()))
const asking = games.map(({ authorization }, game) => requestsOf(authorization, game))
const { send, ready, close } = clients(Number(new URL(processes.urls[0]!).port), connections)
let turn = 0
const next = (): Buffer => asking[turn++ % asking.length]!()

function note({ ok, refused, other }: Outcome, told: Told): void {
  if ('error' in told) other.push(told.error)
  else if (told.status === 200) ok.push(told.ms)
  else if (told.status === 503) refused.push(told.ms)
  else other.push(`${told.status} ${told.body.toString().slice(0, 200)}`)
}

/** As many clients as that, each of which asks again when it is answered. */
async function closed(many: number, ms: number): Promise<Outcome> {
  const outcome: Outcome = { ok: [], refused: [], other: [], unsent: 0 }
  const until = performance.now() + ms
  const work = async () => {
    while (performance.now() < until)
      await new Promise<void>((done) => send(next(), (told) => (note(outcome, told), done())))
  }
  await Promise.all(Array.from({ length: many }, work))
  return outcome
}

/** As many requests a second as that, whatever becomes of those before. */
async function open(perSecond: number, ms: number): Promise<Outcome> {
  const outcome: Outcome = { ok: [], refused: [], other: [], unsent: 0 }
  const began = performance.now()
  let sent = 0
  let answered = 0
  for (let passed = 0; passed < ms; passed = performance.now() - began) {
    for (const due = (passed / 1000) * perSecond; sent < due; sent++) {
      if (!send(next(), (told) => (note(outcome, told), answered++))) {
        outcome.unsent++
        answered++
      }
    }
    await sleep(2)
  }
  while (answered < sent) await sleep(10)
  return outcome
}

/** Half of them took no longer than the first, 99 of a hundred no longer than the second. */
const spread = (list: number[]): string => {
  const sorted = list.toSorted((a, b) => a - b)
  return [0.5, 0.99].map((share) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)).join(' / ')
}

try {
  const {
    cores: [core],
    gateways: [gateway],
  } = processes.pids()
  const lag = monitorEventLoopDelay({ resolution: 5 })
  lag.enable()
  await ready()
  await closed(16, 3_000)
  const can = (await closed(eager, 10_000)).ok.length / 10
  const rows: string[] = []
  let wrong = 0
  let most = { core: 0, gateway: 0 }
  const watching = setInterval(
    () => (most = { core: Math.max(most.core, memoryOf(core!)), gateway: Math.max(most.gateway, memoryOf(gateway!)) }),
    200,
  )
  const loads: [name: string, ms: number, load: (ms: number) => Promise<Outcome>][] = [
    [`${eager} clients`, 10_000, (ms) => closed(eager, ms)],
    [`${Math.round(can * 10)} requests/s`, seconds * 1000, (ms) => open(can * 10, ms)],
    [`${eager} clients again`, 10_000, (ms) => closed(eager, ms)],
  ]
  for (const [name, ms, load] of loads) {
    most = { core: 0, gateway: 0 }
    lag.reset()
    const { ok, refused, other, unsent } = await load(ms)
    wrong += other.length
    const cells = [
      name,
      Math.round((ok.length * 1000) / ms),
      spread(ok),
      Math.round((refused.length * 1000) / ms),
      spread(refused),
      unsent,
      Math.round(lag.percentile(99) / 1e6),
      Math.round(most.core / MiB),
      Math.round(most.gateway / MiB),
    ]
    rows.push(`| ${cells.join(' | ')} |`)
    for (const line of new Set(other)) process.stdout.write(`WRONG: ${line}\n`)
  }
  clearInterval(watching)
  process.stdout.write(
    `| load | answered/s | p50 / p99, ms | refused/s (503) | of these, ms | not sent | lag of the clients, ms | core, MiB | gateway, MiB |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n${rows.join('\n')}\n`,
  )
  if (wrong > 0) process.exitCode = 1
} finally {
  close()
  await processes.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
