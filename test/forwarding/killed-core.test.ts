import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectionTo } from '../support/database.ts'
import { startProcesses, type Processes } from '../support/processes.ts'
import { statements } from '../support/statements.ts'
import { tokens } from '../support/system.ts'
import { targetLrs } from '../support/target-lrs.ts'
import { bearer } from '../support/xapi.ts'

let processes: Processes
beforeAll(async () => {
  processes = await startProcesses({ cores: 2, gateways: 0, env: { LRS_OUTGOING_ALLOW: '127.0.0.1' } })
})
afterAll(() => processes.close())

const patient = { timeout: 30_000, interval: 50 }

test('a core is killed after the answer and before the position is written: the other sends the same ids', async () => {
  const game = await processes.game()
  const admin = processes.connections[0]!.as(bearer(tokens.admin))
  const target = await targetLrs()
  const list = statements(120)
  const { forward } = await admin.forwards.addForward({
    gameId: game.id,
    settings: { name: 'Partner', endpoint: target.endpoint, version: '1.0.3' },
  })
  const { forwardId } = forward!
  const { sql } = processes.database
  await vi.waitFor(async () => {
    const idle = await sql('select from forward where uuid = $1 and idle and leased is null', [forwardId])
    expect(idle).toHaveLength(1)
  }, patient)
  // core 1 does nothing until core 0 is dead, so that it is clear which one has the forward
  const [first, second] = processes.pids().cores as [number, number]
  process.kill(second, 'SIGSTOP')
  const holding = await connectionTo(processes.database.url)
  try {
    const answers = Promise.withResolvers<void>()
    target.how.gate = answers.promise
    await game.rpc(0).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
    await vi.waitFor(() => expect(target.posts()).toHaveLength(1), patient)
    // the target has the first batch; this lock keeps the core from writing that down
    await holding.query('begin')
    await holding.query('select from forward where uuid = $1 for update', [forwardId])
    answers.resolve()
    // over another connection: a transaction sees the activity of its first look only
    const { rows: mine } = await holding.query<{ pid: number }>('select pg_backend_pid() as pid')
    const blocked = () =>
      sql<{ pid: number; query: string }>(
        'select pid, query from pg_stat_activity where $1 = any (pg_blocking_pids(pid))',
        [mine[0]!.pid],
      )
    await vi.waitFor(
      async () => expect((await blocked()).map(({ query }) => query).join()).toContain('set through'),
      patient,
    )
    expect(target.times.size).toBe(50)
    process.kill(first, 'SIGKILL')
    // Postgres notices the death of its client only after the lock: what waits for it must not be written
    for (const { pid } of await blocked()) await holding.query('select pg_terminate_backend($1)', [pid])
    await vi.waitFor(async () => expect(await blocked()).toEqual([]), patient)
    const { rows } = await holding.query('select sent::int, leased > now() as leased from forward where uuid = $1', [
      forwardId,
    ])
    expect(rows).toEqual([{ sent: 0, leased: true }])
    // its lease is over without the minute
    await holding.query("update forward set leased = now() - interval '1 second' where uuid = $1", [forwardId])
    await holding.query('commit')
  } finally {
    process.kill(second, 'SIGCONT')
    await holding.end()
  }
  await sql('update forward set next_attempt = now() where uuid = $1', [forwardId])
  await vi.waitFor(() => expect(target.ids()).toHaveLength(120), patient)
  // each once, none missing, in order
  expect(target.ids()).toEqual(list.map(({ id }) => id))
  const [sent, again] = target.posts()
  expect(again!.statements.map(({ id }) => id)).toEqual(sent!.statements.map(({ id }) => id))
  expect([...target.times.values()].filter((times) => times === 2)).toHaveLength(50)
  await vi.waitFor(async () => {
    const rows = await sql('select sent::int from forward where uuid = $1 and idle', [forwardId])
    expect(rows).toEqual([{ sent: 120 }])
  }, patient)
})
