import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { toJson } from '@bufbuild/protobuf'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import { Form, type FollowRequestSchema } from '../gen/lrs/v1/statements_pb.js'
import { StatementSchema } from '../gen/lrs/v1/xapi_pb.js'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { eventually } from '../start/fixtures/launch.ts'
import type { CoreClient } from './support/core-client.ts'
import { bestOfThree } from './support/cost.ts'
import { write } from './support/follower.ts'
import type { Game } from './support/games.ts'
import { startProcesses, type Processes } from './support/processes.ts'
import { activity, player, statement, statements, verb, voiding, type Json } from './support/statements.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

type Where = MessageInitShape<typeof FollowRequestSchema>

/** Follows until so many statements were seen, or the time is up. */
async function take({ statements: service }: CoreClient, where: Where, count: number, milliseconds = 30_000) {
  const seen: Json[] = []
  let through = 0n
  const messages: number[] = []
  try {
    for await (const message of service.follow(where, { timeoutMs: milliseconds })) {
      messages.push(message.json.length)
      seen.push(...message.json.map((json) => JSON.parse(Buffer.from(json).toString())))
      through = message.through
      if (seen.length >= count) break
    }
  } catch (error) {
    if (ConnectError.from(error).code !== Code.DeadlineExceeded) throw error
  }
  return { seen, through, messages, ids: seen.map(({ id }) => id as string) }
}

describe.concurrent('Follow', () => {
  let system: System
  let game: Game
  beforeAll(async () => {
    system = await startSystem({ cores: 2, gateways: 0 })
    game = await system.game()
  })
  afterAll(() => system.close())

  const store = async (what: Json[], core = 0, whose = game) =>
    (await whose.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(what)) })).ids

  test('gives what there is, then what comes, on whichever core it is stored', async () => {
    const game = await system.game()
    const before = await store(statements(3), 0, game)
    const following = take(game.rpc(0), {}, 5)
    await sleep(200)
    const here = await store(statements(1), 0, game)
    await sleep(200)
    const there = await store(statements(1), 1, game)
    const { ids } = await following
    expect(ids).toEqual([...before, ...here, ...there])
  })

  test('wakes within a moment', bestOfThree, async () => {
    const game = await system.game()
    const lags: number[] = []
    const stop = new AbortController()
    const sent = new Map<string, number>()
    let begun = false
    const follower = (async () => {
      for await (const { json } of game
        .rpc(0)
        .statements.follow({ start: { case: 'fromNow', value: true } }, { signal: stop.signal })) {
        for (const one of json) {
          const at = sent.get(JSON.parse(Buffer.from(one).toString()).id)
          if (at === undefined) begun = true
          else lags.push(performance.now() - at)
        }
        if (lags.length === 10) break
      }
    })()
    // what is stored before it follows it does not get
    while (!begun) {
      await store(statements(1), 0, game)
      await sleep(30)
    }
    for (let n = 0; n < 10; n++) {
      const [one] = statements(1)
      sent.set(one.id, performance.now())
      await store([one], n % 2, game)
      await sleep(30)
    }
    await follower
    expect(Math.max(...lags)).toBeLessThan(1_500)
  })

  test('goes on after a place: none is missed, none comes twice', async () => {
    const game = await system.game()
    const all = await store(statements(20), 0, game)
    const first = await take(game.rpc(0), {}, 1)
    expect(first.ids).toEqual(all)
    const more = await store(statements(5), 1, game)
    expect((await take(game.rpc(1), { start: { case: 'after', value: first.through } }, 5)).ids).toEqual(more)
    const half = first.seen[9]
    expect((await take(game.rpc(1), { start: { case: 'since', value: half.stored } }, 15)).ids).toEqual([
      ...all.slice(10),
      ...more,
    ])
  })

  test('from now on gives nothing older, and a quiet store tells how far it has come', async () => {
    const game = await system.game()
    await store(statements(3), 0, game)
    const began = Date.now()
    const places: number[] = []
    for await (const { json, through } of game.rpc(0).statements.follow({ start: { case: 'fromNow', value: true } })) {
      expect(json).toEqual([])
      if (places.push(Number(through) / 1000) === 2) break
    }
    // a message each 3 s: the second one has gone on past the beginning
    expect(places[1]).toBeGreaterThan(began)
  })

  test('filters, types, and leaves voided statements out', async () => {
    const game = await system.game()
    const [won] = statements(1, {
      verb: verb('won'),
      actor: player('eve'),
      object: activity('go'),
      context: { registration: '99999999-0000-4000-8000-000000000009' },
    })
    const [gone] = statements(1, { verb: verb('won') })
    await store([statement(), won, gone, statement()], 0, game)
    const [voids] = await store([voiding(gone.id)], 0, game)
    // once the last one has come nothing else will
    const last = { ...won, id: randomUUID() }
    await store([last], 0, game)
    // as in queries, a statement is found by what it refers to
    expect((await take(game.rpc(0), { verb: won.verb.id }, 3)).ids).toEqual([won.id, voids, last.id])
    for (const filter of [
      { agent: JSON.stringify(won.actor) },
      { activity: won.object.id },
      { registration: won.context.registration },
    ]) {
      expect((await take(game.rpc(0), filter, 2)).ids, JSON.stringify(filter)).toEqual([won.id, last.id])
    }
    for await (const { statements, json } of game
      .rpc(0)
      .statements.follow({ activity: won.object.id, form: Form.TYPED })) {
      expect(json).toEqual([])
      expect(statements.map((one) => toJson(StatementSchema, one))).toEqual([
        expect.objectContaining({ id: won.id, verb: won.verb }),
        expect.objectContaining({ id: last.id }),
      ])
      break
    }
  })

  test('reads what its credential may: own statements, all of them, one learner, on behalf of a game', async () => {
    const [mine, other] = [await system.game(), await system.game()]
    const [wide] = [await system.game([Scope.STATEMENTS_READ])]
    const blind = await system.game([Scope.STATEMENTS_WRITE])
    const own = await store(statements(2), 0, mine)
    const [foreign] = await store(statements(1), 0, other)
    const seenByAll = { verb: verb('seen-by-all') }
    const { through } = await take(other.rpc(0), {}, 1)
    const everything = take(wide.rpc(0), { verb: seenByAll.verb.id, start: { case: 'after', value: through } }, 2)
    const later = [
      ...(await store(statements(1, seenByAll), 1, mine)),
      ...(await store(statements(1, seenByAll), 0, other)),
    ]
    expect((await everything).ids).toEqual(later)
    // once the last one has come nothing else will
    const [last] = await store(statements(1), 0, mine)
    expect((await take(mine.rpc(0), {}, 4)).ids).toEqual([...own, later[0], last])
    expect(own).not.toContain(foreign)
    await expect(take(blind.rpc(0), {}, 1)).rejects.toMatchObject({ code: Code.PermissionDenied })
    const learner = system.connections[0]!.as(await mine.launch(player('zoe')))
    const [zoe] = await store([statement({ actor: player('zoe') }), statement()], 0, mine)
    const [again] = await store([statement({ actor: player('zoe') })], 0, mine)
    expect((await take(learner, {}, 2)).ids).toEqual([zoe, again])
    await expect(take(learner, { agent: JSON.stringify(player('ann')) }, 1)).rejects.toMatchObject({
      code: Code.PermissionDenied,
    })
    const service = system.connections[0]!.as(bearer(tokens.service), { 'x-lrs-credential': mine.key })
    expect((await take(service, {}, 7)).ids).toHaveLength(7)
    await expect(take(system.connections[0]!.as(bearer(tokens.service)), {}, 1)).rejects.toMatchObject({
      code: Code.Unauthenticated,
    })
  })

  test('ends with its credential, and says so', async () => {
    const game = await system.game()
    const revoke = async () => {
      await sleep(100)
      await system.admin.identity.revokeCredential({ key: game.key })
    }
    await Promise.all([
      expect(take(game.rpc(0), {}, 1)).rejects.toMatchObject({ code: Code.Unauthenticated }),
      revoke(),
    ])
  })

  test('places that are none are refused', async () => {
    await expect(take(game.rpc(0), { start: { case: 'since', value: 'yesterday' } }, 1)).rejects.toMatchObject({
      code: Code.InvalidArgument,
    })
    await expect(take(game.rpc(0), { start: { case: 'after', value: 2n ** 63n } }, 1)).rejects.toMatchObject({
      code: Code.InvalidArgument,
    })
    await expect(take(game.rpc(0), { verb: 'won' }, 1)).rejects.toMatchObject({ code: Code.InvalidArgument })
  })

  test('a reader that takes nothing holds a page, and gets everything when it goes on', async () => {
    const game = await system.game()
    // what hardly shrinks: a compressed page is to fill the connection, too
    const big = () => statement({ result: { response: randomBytes(22_500).toString('base64') } })
    const sent: string[] = []
    for (let n = 0; n < 10; n++) sent.push(...(await store(Array.from({ length: 50 }, big), 0, game)))
    const { statements: read, key } = { ...system.cores[1]!.store, key: game.key }
    const pages = vi.spyOn(read, 'page')
    const own = () => pages.mock.calls.filter(([reader]) => (reader as { key?: string }).key === key).length
    const seen: string[] = []
    const stop = new AbortController()
    const messages = game.rpc(1).statements.follow({}, { signal: stop.signal })[Symbol.asyncIterator]()
    for (let first = true; seen.length < sent.length; first = false) {
      const { json } = (await messages.next()).value!
      expect(json.reduce((sum: number, { byteLength }: Uint8Array) => sum + byteLength, 0)).toBeLessThan(1_200_000)
      seen.push(...json.map((one: Uint8Array) => JSON.parse(Buffer.from(one).toString()).id))
      if (!first) continue
      await sleep(1_000)
      expect(own()).toBeGreaterThan(0)
      expect(own()).toBeLessThan(6)
    }
    stop.abort()
    pages.mockRestore()
    expect(seen).toEqual(sent)
  })

  test('the number of followers is limited; one game may have 20', async () => {
    const game = await system.game()
    await store(statements(1), 0, game)
    const stop = new AbortController()
    let begun = 0
    const open = Array.from({ length: 20 }, async () => {
      for await (const { json } of game.rpc(0).statements.follow({}, { signal: stop.signal })) begun += json.length
    })
    await eventually(
      () => begun === 20,
      () => `20 followers, not ${begun}`,
    )
    await expect(take(game.rpc(0), {}, 1)).rejects.toMatchObject({ code: Code.Unavailable })
    stop.abort()
    await Promise.allSettled(open)
    const follows = () =>
      take(game.rpc(0), {}, 1).then(
        ({ ids }) => ids.length === 1,
        () => false,
      )
    await eventually(follows, () => 'room for another one')
  })
})

describe('a follower', () => {
  let processes: Processes | undefined
  afterEach(() => processes?.close())

  test('has every statement once and in order while 8 writers write and its core is killed', async () => {
    processes = await startProcesses({ cores: 2, gateways: 0 })
    const game = await processes.game()
    const until = performance.now() + 2_000
    const seen: string[] = []
    let cuts = 0
    let through = 0n
    const stop = new AbortController()
    const following = (async () => {
      while (!stop.signal.aborted) {
        try {
          for await (const message of game
            .rpc(1)
            .statements.follow({ start: { case: 'after', value: through } }, { signal: stop.signal })) {
            seen.push(...message.json.map((json) => JSON.parse(Buffer.from(json).toString()).id))
            through = message.through
          }
        } catch {
          cuts++
          await sleep(50)
        }
      }
    })()
    const acknowledged: string[] = []
    const writers = Array.from({ length: 8 }, async (_, n) => {
      while (performance.now() < until || acknowledged.length < 300)
        acknowledged.push(...(await write(game.rpc(n % 2), n, performance.now() + 500).catch(() => [])))
    })
    await sleep(1_500)
    await processes.crashCore(1)
    await Promise.all(writers)
    const table = (await processes.database.sql<{ id: string }>('select id from statement order by stored')).map(
      ({ id }) => id,
    )
    await expect.poll(() => seen.length).toBeGreaterThanOrEqual(table.length)
    stop.abort()
    await following
    expect(seen).toEqual(table)
    expect(cuts).toBeGreaterThan(1)
  })
})
