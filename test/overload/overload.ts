// Ten times what it can take, and what becomes of it: `npm run overload -- --seconds 120`.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../start/postgres.ts'
import { databaseAt } from '../support/database.ts'
import { startProcesses } from '../support/processes.ts'
import { statements } from '../support/statements.ts'
import { databaseUrl } from '../support/template.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '120' }, clients: { type: 'string', default: '640' } } })
const [seconds, clients] = [Number(values.seconds), Number(values.clients)]
const MiB = 1024 * 1024
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-overload-')))
const postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
const processes = await startProcesses({ cores: 1, gateways: 1, database: databaseAt(databaseUrl(postgres.url, 'lrs')) })

const memoryOf = (pid: number): number =>
  process.platform === 'linux'
    ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
    : Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })) * 1024

interface Outcome { ok: number[]; refused: number[]; other: string[] }

/** So many clients, of several games, that write 250 at a time and read a page now and then, as fast as they are answered. */
async function load(games: Awaited<ReturnType<typeof processes.game>>[], many: number, ms: number): Promise<Outcome> {
  const outcome: Outcome = { ok: [], refused: [], other: [] }
  const until = performance.now() + ms
  const work = async (n: number) => {
    const xapi = games[n % games.length]!.xapi()
    for (let count = n; performance.now() < until; count++) {
      const began = performance.now()
      const reply = await (count % 4 ? xapi.post(statements(50)) : xapi.get({ limit: 50 })).catch((error: Error) => error)
      const took = performance.now() - began
      if (reply instanceof Error) outcome.other.push(String(reply.cause ?? reply))
      else if (reply.status === 200) outcome.ok.push(took)
      else if (reply.status === 503) outcome.refused.push(took)
      else outcome.other.push(`${reply.status} ${reply.text.slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: many }, (_, n) => work(n)))
  return outcome
}

const p99 = (list: number[]): string => `${Math.round(list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.99)] ?? 0)}`

try {
  const games = await Promise.all(Array.from({ length: 8 }, () => processes.game()))
  const { cores: [core], gateways: [gateway] } = processes.pids()
  await load(games, 16, 3_000)
  const rows: string[] = []
  let wrong = 0
  let most = { core: 0, gateway: 0 }
  const watching = setInterval(() => (most = { core: Math.max(most.core, memoryOf(core!)), gateway: Math.max(most.gateway, memoryOf(gateway!)) }), 200)
  for (const [name, many, ms] of [['before', clients / 10, 10_000], ['ten times as many', clients, seconds * 1000], ['after', clients / 10, 10_000]] as const) {
    most = { core: 0, gateway: 0 }
    const { ok, refused, other } = await load(games, many, ms)
    wrong += other.length
    rows.push(`| ${name} | ${many} | ${Math.round((ok.length * 1000) / ms)} | ${p99(ok)} | ${refused.length} | ${p99(refused)} | ${Math.round(most.core / MiB)} | ${Math.round(most.gateway / MiB)} |`)
    for (const line of new Set(other)) process.stdout.write(`WRONG: ${line}\n`)
  }
  clearInterval(watching)
  process.stdout.write(`| load | clients | answered/s | p99, ms | refused (503) | p99 of these, ms | core, MiB | gateway, MiB |\n|---|---|---|---|---|---|---|---|\n${rows.join('\n')}\n`)
  if (wrong > 0) process.exitCode = 1
} finally {
  await processes.close()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
