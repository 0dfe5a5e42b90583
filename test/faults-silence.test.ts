import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { eventually, freePorts } from '../start/fixtures/launch.ts'
import { startPostgres, type Postgres } from '../start/postgres.ts'
import { connectionTo, databaseAt } from './support/database.ts'
import type { Game } from './support/games.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { activity, player, statement, statements } from './support/statements.ts'
import { databaseUrl } from './support/template.ts'
import type { Reply } from './support/xapi.ts'
import { bestOfThree } from './support/cost.ts'

let folder: string
let postgres: Postgres
let processes: Processes
let game: Game
let metricsPort: number
let stopped: number[] = []

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-silence-')))
  postgres = await startPostgres({ dataDir: join(folder, 'postgres') })
  metricsPort = (await freePorts(1))[0]!
  processes = await startProcesses({
    database: databaseAt(databaseUrl(postgres.url, 'lrs')),
    env: { CORE_METRICS_PORT: `${metricsPort}` },
  })
  game = await processes.game()
})
afterAll(async () => {
  resume()
  await processes?.close()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** The server first, so that no process comes after; its own connection tells which there are. */
async function stop(): Promise<void> {
  const client = await connectionTo(processes.database.url)
  const halt = (pid: number) => (process.kill(pid, 'SIGSTOP'), stopped.push(pid))
  halt(postgres.pid)
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
  for (const { pid } of rows) halt(pid)
  client.connection.stream.destroy()
}

function resume(): void {
  for (const pid of stopped) process.kill(pid, 'SIGCONT')
  stopped = []
}

const lost: string[] = []
test(
  'a Postgres that stands still: 503 within 2 s whatever is asked, served again within 5 s, nothing acknowledged is lost',
  bestOfThree,
  async () => {
    const xapi = game.xapi()
    const kept = statement()
    await eventually(
      async () => (await xapi.post(kept)).status === 200,
      () => 'a statement stored',
    )
    const state = { query: { activityId: activity('a').id, agent: player('ann'), stateId: 'x' }, body: '{}' }
    const acknowledged = [kept.id]
    const kinds: Record<string, () => Promise<Reply>> = {
      POST: async () => {
        const batch = statements(5)
        const reply = await xapi.post(batch)
        if (reply.status === 200) acknowledged.push(...batch.map(({ id }) => id))
        return reply
      },
      'GET by id': () => xapi.get({ statementId: kept.id }),
      'GET page': () => xapi.get({ limit: 5 }),
      'PUT state': () => xapi.request('PUT', 'activities/state', state),
    }
    const replies: { kind: string; status: number; ms: number; ended: number }[] = []
    let over = false
    onTestFinished(() => {
      over = true
      resume()
    })
    const before = processes.output().length
    const asking = Object.entries(kinds).flatMap(([kind, ask]) =>
      [1, 2, 3, 4].map(async () => {
        while (!over) {
          const began = performance.now()
          const { status } = await ask()
          const ended = performance.now()
          replies.push({ kind, status, ended, ms: ended - began })
        }
      }),
    )
    // they may fail before anybody waits for them
    for (const one of asking) one.catch(() => {})
    await eventually(
      () => replies.length > 100,
      () => `100 replies, ${replies.length} so far`,
    )
    await stop()
    // what was answered before may still be on its way
    const silent = performance.now() + 1_000
    await new Promise((done) => setTimeout(done, 4_000))
    const scraped = performance.now()
    expect(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).toContain(
      'lrs_core_watermark_lag_seconds',
    )
    expect(performance.now() - scraped).toBeLessThan(2_000)
    await new Promise((done) => setTimeout(done, 3_000))
    resume()
    const resumed = performance.now()
    for (const [kind, ask] of Object.entries(kinds)) {
      await eventually(
        async () => (await ask()).status < 300,
        () => `${kind} to be served again`,
        Math.max(1, resumed + 10_000 - performance.now()),
      )
    }
    over = true
    await Promise.all(asking)
    const then = replies.filter(({ ended }) => ended > silent && ended < resumed)
    for (const kind of Object.keys(kinds)) {
      const of = then.filter((reply) => reply.kind === kind)
      expect(of.length, kind).toBeGreaterThanOrEqual(4)
      expect([...new Set(of.map(({ status }) => status))], kind).toEqual([503])
      // 2 s, and what a busy machine adds
      expect(Math.max(...of.map(({ ms }) => ms)), kind).toBeLessThan(4_000)
    }
    expect(replies.filter(({ status }) => status > 299 && status !== 503)).toEqual([])
    const stored = new Set(
      (await processes.database.sql<{ id: string }>('select id from statement')).map(({ id }) => id),
    )
    lost.push(...acknowledged.filter((id) => !stored.has(id)))
    // of all rounds: only the times have three
    expect(lost).toEqual([])
    // hundreds of calls failed; the log of core tells of the database
    const told = () =>
      processes
        .output()
        .slice(before)
        .split('\n')
        .filter((line) => line.includes('"process":"core"') && !line.includes('"level":30'))
        .map((line) => JSON.parse(line).msg)
    const serve = async () => (await xapi.post(statement())).status
    await eventually(
      async () => (await serve()) === 200 && told().length === 2,
      () => `two lines in the log, not ${told().join('; ')}`,
    )
    expect(told()).toEqual(['the database cannot be reached or is busy', 'the database answers again'])
  },
)
