import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { newCaller, preparedFor } from '../../../../test/support/store.ts'
import { activity, player, reference, statement, statements, type Json } from '../../../../test/support/statements.ts'
import { openDatabase, type Database } from '../../../process/database/database.ts'
import { storeOver, type Store } from '../../../store.ts'
import { bestOfThree } from '../../../../test/support/cost.ts'

let fresh: TestDatabase
let database: Database
let store: Pick<Store, 'statements'>
beforeAll(async () => {
  fresh = await freshDatabase()
  database = openDatabase({ url: fresh.url, connections: 3, wait: 2_000, statementTimeout: 10_000 })
  store = storeOver(database)
})
afterAll(async () => {
  await database.close()
  await fresh.close()
})

type Links = [referrer: string, target: string, keys: number][]

/** Pairs of referrer and target, direct or through others, with the number of keys of the target. */
function linksOf(list: readonly Json[]): Links {
  const byId = new Map<string, Json>(list.map((one) => [one.id, one]))
  return list.flatMap((one) => {
    const seen = new Set<Json>([one])
    const links: Links = []
    for (let at = byId.get(one.object.id); at && !seen.has(at); at = byId.get(at.object.id)) {
      seen.add(at)
      // actor, verb, and an activity or a reference
      links.push([one.id, at.id, at.object.objectType ? 2 : 3])
    }
    return links
  })
}

/** Statements that each refer to one of them (even themselves) or to none; and batches of them in any order. */
const graph = fc.integer({ min: 1, max: 9 }).chain((size) =>
  fc.record({
    targets: fc.array(fc.option(fc.nat(size - 1)), { minLength: size, maxLength: size }),
    order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
    batch: fc.integer({ min: 1, max: size }),
  }),
)

test('statements are linked with all their targets, in chains and circles, in any order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(graph, async ({ targets, order, batch }) => {
      const list = statements(targets.length)
      for (const [n, target] of targets.entries()) {
        list[n].actor = player(`${n}`)
        list[n].object = target === null ? activity(`${n}`) : reference(list[target].id)
      }
      const caller = await newCaller(fresh)
      for (let at = 0; at < list.length; at += batch) {
        const some = order.slice(at, at + batch).map((n) => list[n])
        expect(await store.statements.store([{ ...caller, prepared: preparedFor(caller, some) }])).toEqual([
          expect.any(Object),
        ])
      }
      const found = await fresh.sql<{ referrer: string; target: string; keys: number }>(
        `select r.id as referrer, t.id as target, count(*)::int as keys
         from posting p join statement r on r.game = p.game and r.stored = p.stored
           join statement t on t.game = p.game and t.stored = p.target
         where p.game = $1 and p.stored <> p.target group by 1, 2`,
        [caller.game],
      )
      expect(found.map(({ referrer, target, keys }) => [referrer, target, keys]).toSorted()).toEqual(
        linksOf(list).toSorted(),
      )
    }),
    { numRuns: 150 },
  )
})

/** Adds stored statements that refer to an id. */
const referrers = (game: number, credential: number, target: string, count: number) =>
  fresh.sql(
    `insert into statement (stored, game, credential, id, actor, verb, target, voids, body)
     select nextval('statement_order'), $1, $2, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $3, false, '{}'
     from generate_series(1, $4)`,
    [game, credential, target, count],
  )

test.each([
  ['500 referrers', 500, {}, 'stored'],
  ['501 referrers', 501, {}, 'overlinked'],
  [
    '250 referrers to a statement with 8 keys',
    250,
    { context: { contextActivities: { other: Array.from({ length: 5 }, (_, n) => activity(`${n}`)) } } },
    'stored',
  ],
  [
    '250 referrers to a statement with 9 keys',
    250,
    { context: { contextActivities: { other: Array.from({ length: 6 }, (_, n) => activity(`${n}`)) } } },
    'overlinked',
  ],
])('%s', async (_about, count, over, outcome) => {
  const caller = await newCaller(fresh)
  const [target, other] = statements(2, over)
  const put = async (...list: Json[]) =>
    (await store.statements.store(list.map((one) => ({ ...caller, prepared: preparedFor(caller, [one]) })))).map(
      (outcome) => (typeof outcome === 'string' ? outcome : 'stored'),
    )
  await referrers(caller.game, caller.credential, target.id, count)
  // the others of the group are stored
  expect(await put(other, target, statement())).toEqual(['stored', outcome, 'stored'])
  // statements that are stored already are never refused when sent again
  if (outcome === 'stored') {
    await referrers(caller.game, caller.credential, target.id, 2_000)
    expect(await put(target)).toEqual(['stored'])
  }
})

test('references within a batch count', async () => {
  const caller = await newCaller(fresh)
  const chain = statements(60)
  for (const [n, one] of chain.entries()) if (n > 0) one.object = reference(chain[n - 1].id)
  // more than 1,000 pairs, each of 2 keys or 3
  const outcome = await store.statements.store([{ ...caller, prepared: preparedFor(caller, chain) }])
  expect(outcome).toEqual(['overlinked'])
  expect(await store.statements.store([{ ...caller, prepared: preparedFor(caller, chain.slice(0, 20)) }])).toEqual([
    expect.any(Object),
  ])
})

test('two requests with too many links together are both stored, one after the other', async () => {
  const caller = await newCaller(fresh)
  const targets = statements(2)
  for (const { id } of targets) await referrers(caller.game, caller.credential, id, 300)
  const group = targets.map((one) => ({ ...caller, prepared: preparedFor(caller, [one]) }))
  expect(await store.statements.store(group)).toEqual([expect.any(Object), 'overlinked'])
  expect(await store.statements.store(group)).toEqual([expect.any(Object), expect.any(Object)])
})

test(
  'the most links that one transaction makes take less than 25 ms, here 100 ms for a busy machine',
  bestOfThree,
  async () => {
    const caller = await newCaller(fresh)
    const target = statement()
    await referrers(caller.game, caller.credential, target.id, 500)
    await store.statements.store([{ ...caller, prepared: preparedFor(caller, [target]) }])
    const [{ stored }] = (await fresh.sql<{ stored: string }>('select stored from statement where id = $1', [
      target.id,
    ])) as [{ stored: string }]
    const times: number[] = []
    for (let n = 0; n < 10; n++) {
      await fresh.sql('delete from posting where game = $1', [caller.game])
      const began = performance.now()
      await database.run({ name: 'link', text: 'select link_references(array[$1::int], array[$2::bigint])' }, [
        caller.game,
        stored,
      ])
      times.push(performance.now() - began)
    }
    expect(Math.min(...times)).toBeLessThan(100)
  },
)
