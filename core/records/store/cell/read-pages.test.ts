import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../../test/support/database.ts'
import { expectedOf, someFilter } from '../../../../test/support/query-model.ts'
import { someStatements } from '../../../../test/support/random-statements.ts'
import { newCaller, preparedFor } from '../../../../test/support/store.ts'
import { activity, player, statement, statements, verb, type Json } from '../../../../test/support/statements.ts'
import type { Caller } from '../../access/caller.ts'
import { filterFrom, statementFilters } from '../../../../shared/statement-filters.ts'
import { queryStatements } from '../../query/statements.ts'
import { exact } from '../../xapi/exact.ts'
import { timestampOf } from '../../xapi/timestamp.ts'
import { openDatabase, type Database } from '../../../process/database/database.ts'
import { pageReader, type Reach } from './read-pages.ts'
import { storeOver, type Store } from '../../../store.ts'
import { watermark } from './watermark.ts'

let fresh: TestDatabase
let database: Database
let store: ReturnType<typeof storeOver>
beforeAll(async () => {
  fresh = await freshDatabase()
  database = openDatabase({ url: fresh.url, connections: 3, wait: 2_000, statementTimeout: 10_000 })
  store = storeOver(database)
})
afterAll(async () => {
  await database.close()
  await fresh.close()
})

async function storing(list: readonly Json[]): Promise<Caller> {
  const caller = await newCaller(fresh)
  if (list.length > 0) await store.statements.store([{ ...caller, prepared: preparedFor(caller, list) }])
  return caller
}

const readerWith = (reach: Reach) => ({ reads: pageReader(database, watermark(database), reach) }) as unknown as Store
const asked = (filter: Record<string, unknown>) => ({
  ...filterFrom((name) => String(filter[statementFilters[name].parameter] ?? '')),
  ascending: filter['ascending'] === true,
  offset: '',
})
const how = { attachments: false, bytes: 3 * 1024 * 1024 }

/** Every page in turn; none but the last may be empty. */
async function allPages(on: Store, caller: Caller, filter: Record<string, unknown>, limit: number): Promise<Json[]> {
  const found: Json[] = []
  const agent = filter['agent'] ? JSON.stringify(filter['agent']) : ''
  for (let offset = ''; ;) {
    const page = await queryStatements(on, caller, { ...asked({ ...filter, agent }), limit, offset }, how)
    found.push(...page.statements.map((one) => JSON.parse(exact(one).toString())))
    if (page.next === '') return found
    expect(page.statements.length).toBeGreaterThan(0)
    offset = page.next
  }
}

test('pages that look a few candidates at a time find what a look at every statement finds', async () => {
  const short = readerWith({ first: 1, further: 7, steps: [5, 6, 9], patience: 10_000 })
  await fc.assert(
    fc.asyncProperty(someStatements, fc.array(someFilter, { minLength: 15, maxLength: 15 }), async (list, filters) => {
      const caller = await storing(list)
      const stored = await allPages(store as Store, caller, { ascending: true }, 500)
      const voided = await fresh.sql<{ body: string; stored: string }>(
        'select body, stored from statement where game = $1 and voided',
        [caller.game],
      )
      const all = [
        ...stored,
        ...voided.map(({ body, stored }) => ({ ...JSON.parse(body), stored: timestampOf(Number(stored)) })),
      ].sort((one, other) => (one.stored < other.stored ? -1 : 1))
      for (const [n, filter] of filters.entries()) {
        const found = await allPages(short, caller, filter as Record<string, unknown>, 1 + (n % 3))
        expect(
          found.map(({ id }) => id),
          JSON.stringify(filter),
        ).toEqual(expectedOf(all, filter))
      }
    }),
    { numRuns: 8, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  )
})

test('pages of statements that are larger than a page, or fill it exactly, do not end with an empty one', async () => {
  const caller = await storing(statements(4, { actor: player('ann') }))
  const [{ bytes } = { bytes: 0 }] = await fresh.sql<{ bytes: number }>(
    'select max(octet_length(body)) as bytes from statement where game = $1',
    [caller.game],
  )
  for (const most of [1, bytes - 1, bytes, 2 * bytes, 3 * bytes, 4 * bytes])
    for (const ascending of [true, false]) {
      const pages: number[] = []
      for (let offset = ''; offset !== '' || pages.length === 0;) {
        const query = { ...asked({ ascending }), limit: 50, offset }
        const page = await queryStatements(store as Store, caller, query, { ...how, bytes: most })
        pages.push(page.statements.length)
        offset = page.next
      }
      const each = Math.max(1, Math.floor(most / bytes))
      expect(pages, `pages of ${most} bytes`).toEqual(
        Array.from({ length: Math.ceil(4 / each) }, (_, n) => Math.min(each, 4 - n * each)),
      )
    }
})

/** Statements of ann and ben in turn. All of ann's have `lost`, all of ben's have `won`. */
const inTurn = () =>
  [
    ...statements(100, { actor: player('ann'), verb: verb('lost') }),
    ...statements(100, { actor: player('ben'), verb: verb('won') }),
  ].sort((one, other) => (one.id < other.id ? -1 : 1))

test('a page of statements that never match ends with none, however few candidates it looks at', async () => {
  const caller = await storing(inTurn())
  const query = { ...asked({ agent: JSON.stringify(player('ann')), verb: verb('won').id }), limit: 50 }
  expect(
    (
      await queryStatements(
        readerWith({ first: 1, further: 3, steps: [2, 2, 2], patience: 10_000 }),
        caller,
        query,
        how,
      )
    ).statements,
  ).toEqual([])
})

test('a page goes no further than the way that stopped first: the others find more beyond it', async () => {
  const ann = player('ann')
  const group = { objectType: 'Group', member: [ann] }
  const won = verb('won')
  const caller = await storing([
    ...statements(20, { actor: group, verb: won }),
    ...statements(40, { actor: ann, verb: won }),
    ...statements(100, { actor: ann, verb: verb('lost') }),
  ])
  const query = { agent: ann, verb: won.id }
  const few = readerWith({ first: 1, further: 7, steps: [5, 6, 9], patience: 10_000 })
  for (const limit of [1, 7, 10]) expect(await allPages(few, caller, query, limit)).toHaveLength(60)
})

test('pages of all games are those of each game together', async () => {
  const callers = [await storing([]), await storing([]), await storing([])]
  const one = (n: number, name: string) =>
    statement({ verb: verb(name), object: activity('everywhere'), actor: player(`${n}`) })
  const stored: string[] = []
  const order = [
    [0, 'won'],
    [1, 'won'],
    [2, 'won'],
    [2, 'won'],
    [2, 'won'],
    [0, 'lost'],
    [1, 'lost'],
  ] as const
  for (const [n, name] of order) {
    const made = one(n, name)
    await store.statements.store([{ ...callers[n]!, prepared: preparedFor(callers[n]!, [made]) }])
    if (name === 'won') stored.push(made.id)
  }
  const reader = { ...callers[0]!, scopes: ['statements/read' as const] }
  const few = readerWith({ first: 1, further: 7, steps: [5, 6, 9], patience: 10_000 })
  const query = { activity: activity('everywhere').id, verb: verb('won').id }
  for (const limit of [1, 2, 50]) {
    expect((await allPages(few, reader, query, limit)).map(({ id }) => id)).toEqual(stored.toReversed())
    expect((await allPages(few, reader, { ...query, ascending: true }, limit)).map(({ id }) => id)).toEqual(stored)
  }
})

test('an authority finds what its own credentials have sent, not what others of the game have', async () => {
  const account = { homePage: 'https://lrs.example.org', name: 'second' }
  const caller = await storing(statements(3))
  await fresh.sql('update credential set revoked = now() where id = $1', [caller.credential])
  const authority = JSON.stringify({ objectType: 'Agent', account })
  const [{ id }] = (await fresh.sql<{ id: number }>(
    `insert into credential (key, game, secret_hash, authority, scopes) values ($1, $2, '', $3, '{}') returning id`,
    [`${caller.key}-second`, caller.game, authority],
  )) as [{ id: number }]
  const second = { ...caller, credential: id, authority }
  await store.statements.store([{ ...second, prepared: preparedFor(second, statements(2)) }])
  expect(await allPages(store as Store, second, { agent: { account }, related_agents: true }, 10)).toHaveLength(2)
})

test('a page that finds none in time is refused: it does not claim that there are none', async () => {
  const caller = await storing(inTurn())
  const query = { ...asked({ agent: JSON.stringify(player('ann')), verb: verb('won').id }), limit: 1 }
  const impatient = readerWith({ first: 1, further: 3, steps: [2, 2, 2], patience: -1 })
  await expect(queryStatements(impatient, caller, query, how)).rejects.toMatchObject({
    reason: 'unavailable',
    message: expect.stringContaining('since and until'),
  })
  // it answers what it finds in its first query
  expect((await queryStatements(impatient, caller, { ...query, verb: '' }, how)).statements).toHaveLength(1)
})
