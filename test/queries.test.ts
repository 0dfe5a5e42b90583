import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import { expectedOf, someFilter } from './support/query-model.ts'
import { someStatements } from './support/random-statements.ts'
import { startSystem, type System } from './support/system.ts'
import { activity, player, reference, statement, statements, verb, voiding, type Json } from './support/statements.ts'
import type { XapiClient } from './support/xapi.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2 })
})
afterAll(() => system.close())

/** A client of a game that has stored these, one request each. */
async function storing(list: Json[]): Promise<XapiClient> {
  const xapi = (await system.game()).xapi()
  for (const one of list) expect((await xapi.post(one)).status).toBe(200)
  return xapi
}

const idsOf = (found: Json[]) => found.map(({ id }) => id)

describe('a query', () => {
  test('finds what a look at every statement finds: random statements, random filters', async () => {
    await fc.assert(
      fc.asyncProperty(
        someStatements,
        fc.array(someFilter, { minLength: 20, maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        async (list, filters, batches) => {
          const xapi = (await system.game()).xapi()
          const size = Math.ceil(list.length / batches)
          for (let from = 0; from < list.length; from += size)
            expect((await xapi.post(list.slice(from, from + size))).status).toBe(200)
          const stored = await everything(xapi, list)
          expect(stored).toHaveLength(new Set(idsOf(list)).size)
          for (const filter of filters) {
            const at = stored[filters.indexOf(filter) % stored.length].stored
            const bounds = [{}, { since: at }, { until: at }][filters.indexOf(filter) % 3]
            const all = { ...filter, ...bounds }
            expect(idsOf(await xapi.all({ ...all, limit: 7 })), JSON.stringify(all)).toEqual(expectedOf(stored, all))
          }
        },
      ),
      { numRuns: 12, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
    )
  })

  test('answers newest first, 50 of them, at most 500, or the oldest first', async () => {
    const xapi = (await system.game()).xapi()
    const list = [...statements(250), ...statements(250), ...statements(20)]
    for (const from of [0, 250, 500]) await xapi.post(list.slice(from, from + 250))
    const ids = idsOf(list)
    expect(idsOf((await xapi.get()).json.statements)).toEqual(ids.toReversed().slice(0, 50))
    for (const [limit, count] of [
      [1, 1],
      [2, 2],
      [499, 499],
      [500, 500],
      [0, 500],
      [501, 500],
      [1e9, 500],
    ] as const) {
      const { json } = await xapi.get({ limit, ascending: true })
      expect(idsOf(json.statements)).toEqual(ids.slice(0, count))
      expect(json.more).toMatch(/^\/xapi\/statements\?/)
    }
    for (const limit of [1, 7, 64, 260, 500, 519, 520])
      expect(idsOf(await xapi.all({ limit: limit === 1 ? 13 : limit }))).toEqual(ids.toReversed())
    expect((await xapi.get({ agent: player('nobody') })).json).toEqual({ statements: [], more: '' })
  })

  test('takes since and until to the microsecond: strictly after, at or before', async () => {
    const xapi = await storing(statements(5))
    const all = await xapi.all({ ascending: true })
    const [first, second, third] = all
    expect(first.stored).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(idsOf(await xapi.all({ since: first.stored, until: third.stored }))).toEqual(idsOf([third, second]))
    const before = new Date(Date.parse(second.stored)).toISOString()
    const micros = (time: string, add: number) =>
      `${time.slice(0, 20)}${String(Number(time.slice(20, 26)) + add).padStart(6, '0')}Z`
    if (!/\.(000000|999999)Z$/.test(second.stored)) {
      expect(idsOf(await xapi.all({ since: micros(second.stored, -1), until: second.stored }))).toEqual([second.id])
      expect(idsOf(await xapi.all({ since: second.stored, until: micros(second.stored, 1) }))).toEqual([])
    }
    expect(idsOf(await xapi.all({ since: before, until: second.stored }))).toContain(second.id)
    const inAnotherZone = `${new Date(Date.parse(`${second.stored.slice(0, 19)}Z`) + 7_200_000).toISOString().slice(0, 19)}${second.stored.slice(19, 26)}+02:00`
    expect(idsOf(await xapi.all({ since: inAnotherZone }))).toEqual(idsOf(all.slice(2).toReversed()))
    expect(await xapi.all({ since: '9999-12-31T23:59:59.999999Z' })).toEqual([])
    expect(await xapi.all({ since: '0001-01-01T00:00:00Z' })).toHaveLength(5)
  })

  test('tells only how far the order is complete, if that is what is asked', async () => {
    const game = await system.game()
    const posted = await game.xapi().post(statements(2))
    const { json, next, consistentThrough } = await game
      .rpc()
      .statements.queryStatements({ onlyConsistentThrough: true, limit: 1 })
    expect([posted.status, json, next]).toEqual([200, [], ''])
    const { stored } = (await game.xapi().all({}))[0]
    expect(new Date(Number(consistentThrough / 1000n)).toISOString().slice(0, 23) >= stored.slice(0, 23)).toBe(true)
  })

  test('finds an agent whatever the key order and the name, and each kind of identifier', async () => {
    const actors = [
      { mbox: 'mailto:ann@example.org', name: 'Ann' },
      { openid: 'https://ann.example.org/' },
      { mbox_sha1sum: 'ebd31e95054c018b10727ccffd2ef2ec3a016ee9' },
      player('ann'),
    ]
    const xapi = await storing(actors.map((actor) => statement({ actor })))
    const queries = [
      '{"name":"Anna","mbox":"mailto:ann@example.org"}',
      '{"objectType":"Agent","openid":"https://ann.example.org/"}',
      '{"mbox_sha1sum":"ebd31e95054c018b10727ccffd2ef2ec3a016ee9"}',
      '{"account":{"name":"ann","homePage":"https://players.example.org"}}',
    ]
    for (const [n, agent] of queries.entries()) {
      const found = await xapi.all({ agent: JSON.parse(agent) })
      expect(found).toHaveLength(1)
      expect(found[0].actor).toEqual(actors[n])
    }
  })

  test('finds by authority with related agents only', async () => {
    const game = await system.game()
    const one = statement()
    await game.xapi().post(one)
    const agent = { account: { homePage: 'https://lrs.example.org', name: game.key } }
    expect(idsOf(await game.xapi().all({ agent, related_agents: true }))).toEqual([one.id])
    expect(await game.xapi().all({ agent })).toEqual([])
    expect(await (await system.game()).xapi().all({ agent, related_agents: true })).toEqual([])
  })

  test('reaches all games with the scope statements/read, one game without', async () => {
    const own = await system.game()
    const other = await system.game()
    const reader = await system.game([Scope.STATEMENTS_READ])
    const ones = [statement({ object: activity('everywhere') }), statement({ object: activity('everywhere') })]
    await own.xapi().post(ones[0])
    await other.xapi().post(ones[1])
    expect(idsOf(await own.xapi().all({ activity: activity('everywhere').id }))).toEqual([ones[0].id])
    expect(idsOf(await reader.xapi().all({ activity: activity('everywhere').id, limit: 1 }))).toEqual([
      ones[1].id,
      ones[0].id,
    ])
    expect((await reader.xapi().get({ statementId: ones[1].id })).status).toBe(200)
  })
})

describe('more', () => {
  test('carries the filters, is empty at the end, and skips and repeats nothing while others write', async () => {
    const xapi = await storing([statements(120, { verb: verb('won') })])
    let writing = true
    const writer = (async () => {
      while (writing) await xapi.post([statement({ verb: verb('won') }), statement()])
    })()
    const newest = await xapi.all({ verb: verb('won').id, limit: 3 })
    const oldest = await xapi.all({ verb: verb('won').id, limit: 20, ascending: true })
    writing = false
    await writer
    const all = await xapi.all({ verb: verb('won').id, ascending: true, limit: 0 })
    expect(all.every((one) => one.verb.id === verb('won').id)).toBe(true)
    const from = all.findIndex(({ id }) => id === newest[0].id)
    expect(idsOf(newest)).toEqual(idsOf(all.slice(0, from + 1).toReversed()))
    expect(idsOf(oldest)).toEqual(idsOf(all.slice(0, oldest.length)))
  })

  test('of one game gives another its own statements only', async () => {
    const xapi = await storing(statements(3))
    const other = await system.game()
    const { more } = (await xapi.get({ limit: 1 })).json
    const { status, json } = await other.xapi().request('GET', more)
    expect([status, json.statements]).toEqual([200, []])
  })
})

describe('StatementRefs', () => {
  const won = { verb: verb('won'), object: activity('go') }

  test('are found by what they refer to: chains, circles, targets that come later, in one batch or in many', async () => {
    const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()]
    const target = statement({ id: a, ...won })
    const chain = [target, statement({ id: b, object: reference(a) }), statement({ id: c, object: reference(b) })]
    for (const order of [chain, chain.toReversed(), [chain[1], chain[0], chain[2]]]) {
      for (const requests of [order.map((one) => [one]), [order]]) {
        const xapi = await storing(requests as Json[])
        expect(new Set(idsOf(await xapi.all({ verb: won.verb.id })))).toEqual(new Set([a, b, c]))
        expect(new Set(idsOf(await xapi.all({ activity: won.object.id, verb: won.verb.id })))).toEqual(
          new Set([a, b, c]),
        )
        expect(new Set(idsOf(await xapi.all({ verb: verb('played').id })))).toEqual(new Set([b, c]))
      }
    }
    const circle = [
      statement({ id: a, object: reference(b), verb: verb('won') }),
      statement({ id: b, object: reference(a) }),
    ]
    expect(new Set(idsOf(await (await storing(circle)).all({ verb: won.verb.id })))).toEqual(new Set([a, b]))
    const itself = [statement({ id: a, object: reference(a), verb: verb('won') })]
    expect(idsOf(await (await storing(itself)).all({ verb: won.verb.id }))).toEqual([a])
  })

  test('take since and until from the one that refers', async () => {
    const target = statement(won)
    const referring = statement({ object: reference(target.id) })
    const xapi = await storing([target, referring])
    const { stored } = (await xapi.get({ statementId: target.id })).json
    expect(idsOf(await xapi.all({ verb: won.verb.id, since: stored }))).toEqual([referring.id])
  })

  test('of another game are no targets', async () => {
    const target = statement(won)
    await storing([target])
    const xapi = await storing([statement({ object: reference(target.id) }), voiding(target.id)])
    expect(await xapi.all({ verb: won.verb.id })).toEqual([])
  })
})

describe('a voided statement', () => {
  test.each([
    ['voided afterwards', (target: Json, by: Json) => [[target], [by]]],
    ['voided before it comes', (target: Json, by: Json) => [[by], [target]]],
    ['voided in its own batch', (target: Json, by: Json) => [[target, by]]],
    ['voided before it in its own batch', (target: Json, by: Json) => [[by, target]]],
  ])('%s: is found by voidedStatementId only', async (_about, requests) => {
    const target = statement({ verb: verb('won') })
    const by = voiding(target.id)
    const referring = statement({ object: reference(target.id) })
    const xapi = await storing([...requests(target, by), [referring]] as Json[])
    expect((await xapi.get({ statementId: target.id })).status).toBe(404)
    expect((await xapi.get({ voidedStatementId: target.id })).json.id).toBe(target.id)
    expect((await xapi.get({ statementId: by.id })).status).toBe(200)
    expect((await xapi.get({ voidedStatementId: by.id })).status).toBe(404)
    expect(new Set(idsOf(await xapi.all()))).toEqual(new Set([by.id, referring.id]))
    expect(new Set(idsOf(await xapi.all({ verb: verb('won').id })))).toEqual(new Set([by.id, referring.id]))
  })

  test('asked for at once with others: each gets its own answer', async () => {
    const games = [await system.game(), await system.game()]
    const [mine, theirs] = [games[0]!.xapi(0), games[1]!.xapi(0)]
    const long = statement({ result: { response: 'ä'.repeat(100_000) } })
    const [target, by, own, other] = [statement(), voiding(''), statement(), statement()]
    const void_ = { ...by, object: reference(target.id) }
    for (const one of [target, void_, own, long]) expect((await mine.post(one)).status).toBe(200)
    expect((await theirs.post(other)).status).toBe(200)
    const asked: [XapiClient, Record<string, string>, string | undefined][] = [
      [mine, { statementId: own.id }, own.id],
      [mine, { statementId: other.id }, undefined],
      [theirs, { statementId: other.id }, other.id],
      [mine, { statementId: target.id }, undefined],
      [mine, { voidedStatementId: target.id }, target.id],
      [mine, { voidedStatementId: own.id }, undefined],
      [mine, { statementId: long.id }, long.id],
      [theirs, { statementId: own.id }, undefined],
      [mine, { statementId: randomUUID() }, undefined],
    ]
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => asked)
        .flat()
        .map(([xapi, query]) => xapi.get(query)),
    )
    for (const [n, { status, json }] of replies.entries()) {
      const id = asked[n % asked.length]![2]
      expect([status, status === 200 ? json.id : undefined]).toEqual(id === undefined ? [404, undefined] : [200, id])
    }
    expect(replies[6]!.json.result.response).toBe(long.result.response)
    for (const reply of replies)
      if (reply.status === 200)
        expect(reply.headers.get('x-experience-api-consistent-through')! >= reply.json.stored).toBe(true)
  })

  test('a voiding statement cannot be voided', async () => {
    const target = statement()
    const by = voiding(target.id)
    const again = voiding(by.id)
    const xapi = await storing([target, by, again])
    expect((await xapi.get({ statementId: by.id })).status).toBe(200)
    expect((await xapi.get({ voidedStatementId: target.id })).status).toBe(200)
  })
})

/** All statements of these ids, voided ones too. */
async function everything(xapi: XapiClient, list: Json[]): Promise<Json[]> {
  const seen = await xapi.all({ limit: 0 })
  const missing = [...new Set(idsOf(list))].filter((id) => !seen.some((one) => one.id === id))
  const voided = await Promise.all(
    missing.map(async (voidedStatementId) => (await xapi.get({ voidedStatementId })).json),
  )
  return [...seen, ...voided].sort((one, other) => (one.stored < other.stored ? -1 : 1))
}
