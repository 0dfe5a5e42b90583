import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSystem, type System } from './support/system.ts'
import type { Game } from './support/games.ts'
import { activity, player, statement, statements } from './support/statements.ts'

let system: System
let game: Game
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2 })
  game = await system.game()
})
afterAll(() => system.close())

const rows = async (ids: string[]) => {
  const [row] = await system.database.sql<{ count: number }>(
    'select count(*)::int from statement where id = any ($1)',
    [ids],
  )
  return row!.count
}

describe('a statement that is sent again', () => {
  test('by racing clients, on two cores, in opposite orders, is stored once and every client succeeds', async () => {
    for (let round = 0; round < 15; round++) {
      const batch = statements(40)
      const ids = batch.map(({ id }) => id)
      const backwards = batch.toReversed()
      const racers = Array.from({ length: 8 }, async (_, n) => {
        const sent = n % 2 ? backwards : batch
        const { ids: answered } = await game
          .rpc(n % 2)
          .statements.storeStatements({ json: Buffer.from(JSON.stringify(sent)) })
        expect(answered).toEqual(sent.map(({ id }) => id))
      })
      await Promise.all(racers)
      expect(await rows(ids)).toBe(ids.length)
    }
    const [deadlocks] = await system.database.sql<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    )
    expect(deadlocks!.deadlocks).toBe(0)
  })

  test('over HTTP: five times by PUT and POST at once, through both gateways', async () => {
    const one = statement()
    const replies = await Promise.all([
      game.xapi(0).put(one.id, one),
      game.xapi(1).put(one.id, one),
      game.xapi(0).post(one),
      game.xapi(1).post([one]),
      game.xapi(1).put(one.id, one),
    ])
    expect(replies.map(({ status }) => status)).toEqual([204, 204, 200, 200, 204])
    expect(await rows([one.id])).toBe(1)
  })

  test('with other content, leaves the first one as it is, byte for byte', async () => {
    const xapi = game.xapi()
    const first = statement({ result: { extensions: { 'https://example.org/e': 1 } } })
    await xapi.post(first)
    const before = await xapi.get({ statementId: first.id })
    const other = { ...first, actor: player('ben'), object: activity('go') }
    expect((await xapi.post([statement(), other])).json[1]).toBe(first.id)
    expect((await xapi.put(first.id, other)).status).toBe(204)
    expect((await xapi.get({ statementId: first.id })).bytes).toEqual(before.bytes)
    expect(await xapi.all({ agent: player('ben') })).toEqual([])
  })

  test('overlapping batches: every client gets all of its ids, new statements are all stored', async () => {
    const shared = statements(20)
    const own = Array.from({ length: 6 }, () => statements(10))
    const replies = await Promise.all(
      own.map((mine, n) => game.xapi(n % 2).post([...shared.slice(n), ...mine, ...shared.slice(0, n)])),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expect(await rows([...shared, ...own.flat()].map(({ id }) => id))).toBe(80)
  })
})

describe('a batch', () => {
  test('is stored whole or not at all: one bad of 250', async () => {
    const batch = statements(250)
    const reply = await game.xapi().post(batch.with(249, { ...batch[249], verb: { id: 'no IRI' } }))
    expect(reply.status).toBe(400)
    expect(reply.json.message).toContain('statements[249].verb.id')
    expect(await rows(batch.map(({ id }) => id))).toBe(0)
    expect((await game.xapi().post(batch)).status).toBe(200)
    expect(await rows(batch.map(({ id }) => id))).toBe(250)
  })

  test('with the same id twice: 1.0.3 stores the first and answers both, 2.0 refuses all', async () => {
    const one = statement()
    const twin = { ...one, object: activity('go') }
    const last = statement()
    const refused = await game.xapi(0, '2.0.0').post([one, twin, last])
    expect(refused.status).toBe(400)
    expect(await rows([one.id, last.id])).toBe(0)
    expect((await game.xapi().post([one, twin, last])).json).toEqual([one.id, one.id, last.id])
    expect((await game.xapi().get({ statementId: one.id })).json.object).toEqual(activity('chess'))
    expect(await rows([one.id, last.id])).toBe(2)
  })

  test('is one with all of its ids in the order of the request, also when none was given', async () => {
    const batch = statements(5).map(({ id: _, ...rest }, n) => ({ ...rest, object: activity(`move-${n}`) }))
    const { json: ids } = await game.xapi().post(batch)
    const found = await Promise.all(
      ids.map(async (statementId: string) => (await game.xapi().get({ statementId })).json.object.id),
    )
    expect(found).toEqual(batch.map(({ object }) => object.id))
  })

  test('that is empty stores nothing', async () => {
    const { status, text } = await game.xapi().post([])
    expect([status, text]).toEqual([200, '[]'])
  })
})

describe('an id', () => {
  test('in upper case is the same as in lower case', async () => {
    const id = randomUUID()
    expect((await game.xapi().post(statement({ id: id.toUpperCase() }))).json).toEqual([id])
    expect((await game.xapi().put(id, statement())).status).toBe(204)
    expect((await game.xapi().post([statement({ id: id.toUpperCase() }), statement({ id })])).json).toEqual([id, id])
    expect(await rows([id])).toBe(1)
    expect((await game.xapi().get({ statementId: id.toUpperCase() })).json.id).toBe(id)
  })

  test('of PUT wins over the one in the body', async () => {
    const one = statement()
    const id = randomUUID()
    expect((await game.xapi().put(id, one)).status).toBe(204)
    expect(await rows([one.id])).toBe(0)
    expect((await game.xapi().get({ statementId: id })).json).toMatchObject({ id, actor: one.actor })
  })

  test('that another game has used is free, and neither game sees the statement of the other', async () => {
    const other = await system.game()
    const one = statement({ object: activity('secret') })
    await game.xapi().post(one)
    expect((await other.xapi().get({ statementId: one.id })).status).toBe(404)
    expect((await other.xapi().post({ ...one, object: activity('mine') })).json).toEqual([one.id])
    expect((await other.xapi().get({ statementId: one.id })).json.object).toEqual(activity('mine'))
    expect((await game.xapi().get({ statementId: one.id })).json.object).toEqual(activity('secret'))
    expect(await rows([one.id])).toBe(2)
  })
})

test('a definition that is told again is the newest one, whichever core told another meanwhile', async () => {
  const id = activity('told-by-two-cores').id
  const tell = (core: number, name: string) =>
    game.xapi(core).post(statement({ object: { id, definition: { name: { en: name } } } }))
  const told = async () =>
    (await game.xapi().request('GET', 'activities', { query: { activityId: id } })).json.definition.name.en
  for (const [core, name] of [
    [0, 'one'],
    [0, 'one'],
    [1, 'other'],
    [0, 'one'],
    [1, 'other'],
    [1, 'other'],
    [0, 'other'],
    [0, 'one'],
    [1, 'one'],
  ] as const) {
    expect((await tell(core, name)).status).toBe(200)
    expect(await told()).toBe(name)
  }
})
