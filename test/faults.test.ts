import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../start/fixtures/launch.ts'
import type { Game } from './support/games.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { activity, player, statement, statements } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'
import type { Reply, XapiClient } from './support/xapi.ts'
import { bestOfThree } from './support/cost.ts'
import { meanwhile } from './support/meanwhile.ts'
import { connectionTo } from './support/database.ts'

const timed = async <T>(work: Promise<T>): Promise<{ result: T; ms: number }> => {
  const began = performance.now()
  return { result: await work, ms: performance.now() - began }
}

const state = { query: { activityId: activity('a').id, agent: player('ann'), stateId: 'x' } }
const kinds: Record<string, (xapi: XapiClient) => Promise<Reply>> = {
  'a page': (xapi) => xapi.get({ limit: 1 }),
  'a statement': (xapi) => xapi.post(statement()),
  'by id': (xapi) => xapi.get({ statementId: randomUUID() }),
  'a state': (xapi) => xapi.request('GET', 'activities/state', state),
  'a state kept': (xapi) => xapi.request('PUT', 'activities/state', { ...state, body: '{}' }),
}

describe('the database', () => {
  let system: System
  let game: Game
  beforeAll(async () => {
    system = await startSystem({ cores: 2, hasty: true })
    game = await system.game()
  })
  afterAll(() => system.close())

  test(
    'stuck behind a transaction that does not end: 503 within 2 s for all of many, more than there are connections, and back at once',
    bestOfThree,
    async () => {
      const holder = await connectionTo(system.database.url)
      onTestFinished(() => holder.end())
      const games = [game, await system.game(), await system.game()]
      const all = Object.values(kinds)
      const many = () =>
        timed(Promise.all(Array.from({ length: 150 }, (_, n) => all[n % all.length]!(games[n % 3]!.xapi()))))
      const { ms: usual } = await many()
      await holder.query('begin; lock table statement, document in access exclusive mode')
      const { result, ms } = await many()
      expect(result.filter(({ status }) => status !== 503).map(({ status, text }) => `${status} ${text}`)).toEqual([])
      // 2 s, and what a busy machine adds to as many that nothing holds up; one after the other it would be 6 and more
      expect(ms).toBeLessThan(4_500 + 3 * Math.max(0, usual - 1_000))
      await holder.query('rollback')
      await eventually(
        async () => (await game.xapi().post(statement())).status === 200,
        () => 'writes again',
        10_000,
      )
    },
  )

  test(
    'with a table that is locked for seconds: each request of many that come one after the other, of several games, is answered within 2 s',
    { ...bestOfThree, tags: 'long' },
    async () => {
      const holder = await connectionTo(system.database.url)
      onTestFinished(() => holder.end())
      const games = await Promise.all([1, 2, 3].map(() => system.game()))
      const replies: { name: string; status: number; ms: number }[] = []
      let over = false
      const asking = games.flatMap((game) =>
        Object.entries(kinds).flatMap(([name, ask]) =>
          Array.from({ length: name === 'a page' ? 15 : 3 }, async () => {
            while (!over) {
              await new Promise((done) => setTimeout(done, 500 * Math.random()))
              const { result, ms } = await timed(ask(game.xapi()))
              replies.push({ name, status: result.status, ms })
            }
          }),
        ),
      )
      // they may fail before anybody waits for them
      for (const one of asking) one.catch(() => {})
      await eventually(
        () => replies.length > 150,
        () => '150 replies',
      )
      const usual = Math.max(...replies.slice(50).map(({ ms }) => ms))
      await holder.query('begin; lock table statement in access exclusive mode')
      await new Promise((done) => setTimeout(done, 7_000))
      await holder.query('rollback')
      over = true
      await Promise.all(asking)
      expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([200, 204, 404, 503])
      // 2 s, and what a busy machine adds to all that is asked of it
      expect(replies.filter(({ ms }) => ms > 3_500 + 3 * usual)).toEqual([])
      expect((await game.xapi().post(statement())).status).toBe(200)
    },
  )

  test('ends the connections of a core: nothing worse than 503, and back within 5 s', async () => {
    const replies: Reply[] = []
    const ask = async () => {
      replies.push(...(await Promise.all([game.xapi().post(statement()), game.xapi().get({ limit: 1 })])))
    }
    await meanwhile(ask, async () => {
      for (let round = 0; round < 5; round++) {
        await new Promise((done) => setTimeout(done, 100))
        await system.database.sql(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'games-lrs core%' and " +
            'datname = current_database()',
        )
      }
      await eventually(
        async () => (await game.xapi().post(statement())).status === 200,
        () => 'writes again',
        10_000,
      )
    })
    expect(replies.filter(({ status }) => status !== 200 && status !== 503).map(({ text }) => text)).toEqual([])
  })

  test('whose clock goes back by an hour: `stored` still increases, nobody who follows misses anything', async () => {
    const xapi = game.xapi()
    expect((await xapi.post(statement())).status).toBe(200)
    // the order as it is when the clock was an hour ahead until now
    await system.database.sql(`select setval('statement_order', (select last_value from statement_order) + 3600000000)`)
    const ahead = statement()
    await xapi.post(ahead)
    const { stored: since } = (await xapi.get({ statementId: ahead.id })).json
    expect(Date.parse(since)).toBeGreaterThan(Date.now() + 3_500_000)
    const later = statements(30)
    for (const one of later) expect((await xapi.post(one)).status).toBe(200)
    const reply = await xapi.get({ since, ascending: true })
    expect(reply.json.statements.map(({ id }: { id: string }) => id)).toEqual(later.map(({ id }) => id))
    const times = reply.json.statements.map(({ stored }: { stored: string }) => stored)
    expect(times).toEqual([...new Set(times)].toSorted())
    expect(reply.headers.get('x-experience-api-consistent-through')! >= times.at(-1)).toBe(true)
  })

  test('asked for the same ids in opposite order by two cores at once: no deadlock, every id once', async () => {
    const batch = statements(100)
    const send = (core: number, list: object[]) =>
      game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(list)) })
    for (let round = 0; round < 5; round++) {
      const fresh = batch.map((one) => ({ ...one, id: crypto.randomUUID() }))
      await Promise.all([0, 1, 0, 1].map((core, n) => send(core, n % 2 ? fresh.toReversed() : fresh)))
      const [{ count }] = (await system.database.sql<{ count: number }>(
        'select count(*)::int as count from statement where id = any ($1::uuid[])',
        [fresh.map(({ id }) => id)],
      )) as [{ count: number }]
      expect(count).toBe(100)
    }
  })

  test('2,000 connections that say nothing, or little: the others are served as before', bestOfThree, async () => {
    const xapi = game.xapi()
    const measure = async () => {
      const times: number[] = []
      for (let count = 0; count < 100; count++) times.push((await timed(xapi.post(statement()))).ms)
      return times.sort((a, b) => a - b)[98]!
    }
    await measure()
    const before = await measure()
    const port = Number(new URL(system.urls[0]!).port)
    const sockets: Socket[] = []
    for (let count = 0; count < 2_000; count++) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      if (count % 2) socket.write('POST /xapi/statements HTTP/1.1\r\nHost: x\r\n')
      sockets.push(socket)
      if (count % 100 === 99) await new Promise((done) => socket.once('connect', done))
    }
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    // what else the machine does may hit one measurement, not all of them
    await expect.poll(measure).toBeLessThan(2 * before + 30)
  })
})

describe('SIGTERM under load', () => {
  let processes: Processes
  let game: Game
  beforeAll(async () => {
    processes = await startProcesses({ cores: 2, gateways: 1 })
    game = await processes.game()
  })
  afterAll(() => processes.close())

  /** Writes until the process has ended; what was sent before the signal has to be answered. */
  async function endUnderLoad(pid: number) {
    const acknowledged: string[] = []
    const refused = new Map<number | string, number>()
    let signalled = false
    let over = false
    const write = async () => {
      while (!over) {
        const batch = statements(20)
        const before = !signalled
        const reply = await game
          .xapi()
          .post(batch)
          .catch((error: Error) => error)
        if (reply instanceof Error) {
          if (before) refused.set(`${reply.message}: ${String(reply.cause)}`, 1)
          else return
        } else if (reply.status === 200) acknowledged.push(...batch.map(({ id }) => id))
        else refused.set(reply.status, (refused.get(reply.status) ?? 0) + 1)
      }
    }
    const writing = Array.from({ length: 16 }, write)
    await eventually(
      () => acknowledged.length >= 1_000,
      () => `1,000 statements, ${acknowledged.length} so far`,
    )
    signalled = true
    // what was sent at the same moment may not be read any more
    await new Promise((done) => setTimeout(done, 300))
    process.kill(pid, 'SIGTERM')
    const alive = () => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await eventually(
      async () => !alive(),
      () => 'the process to end',
    )
    over = true
    await Promise.all(writing)
    const rows = await processes.database.sql<{ id: string }>('select id from statement')
    const stored = new Set(rows.map(({ id }) => id))
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
    expect(stored.size % 20).toBe(0)
    return [...refused.keys()]
  }

  test('of a core: the other one takes over, each request is acknowledged or 503', async () => {
    const refused = await endUnderLoad(processes.pids().cores[0]!)
    expect(refused.filter((status) => status !== 503)).toEqual([])
    expect((await game.xapi().post(statements(20))).status).toBe(200)
  })

  test('of the gateway: whatever was on its way is answered', async () => {
    const refused = await endUnderLoad(processes.pids().gateways[0]!)
    expect(refused.filter((status) => status !== 503)).toEqual([])
  })
})
