import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../test/support/database.ts'
import { expectedOf } from '../../test/support/query-model.ts'
import { someFilter, someStatements } from '../../test/support/random-statements.ts'
import { player, statements, verb, type Json } from '../../test/support/statements.ts'
import type { Caller } from '../caller.ts'
import { queryStatements } from '../query/statements.ts'
import { rulesFor } from '../xapi/dialect.ts'
import { prepareStatements } from '../xapi/prepare.ts'
import { timestampOf } from '../xapi/timestamp.ts'
import { openDatabase, type Database } from './database.ts'
import { pageReader, type Reach } from './read-pages.ts'
import { storeOver, type Store } from './store.ts'
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

let games = 0
async function newGame(): Promise<Caller> {
  const key = `game-${++games}`
  const [row] = await fresh.sql<{ id: number; game: number; uuid: string }>(
    `with g as (insert into game (name) values ($1) returning id, uuid), c as (
      insert into credential (key, game, secret_hash, authority, scopes) select $1, id, '', '{}', '{}' from g returning id, game)
    select c.id, c.game, g.uuid from c, g`,
    [key],
  )
  return {
    credential: row!.id,
    credentialVersion: 1,
    game: row!.game,
    key,
    gameId: row!.uuid,
    authority: '{}',
    scopes: [],
    rules: rulesFor('1.0.3', 'games'),
  }
}

async function storing(list: readonly Json[]): Promise<Caller> {
  const caller = await newGame()
  const prepared = prepareStatements(Buffer.from(JSON.stringify(list)), {
    rules: caller.rules,
    authority: '{}',
    now: timestampOf(Date.now() * 1000),
    maxStatements: 250,
  })
  await store.statements.store([{ ...caller, prepared }])
  return caller
}

const readerWith = (reach: Reach) =>
  ({ statements: pageReader(database, watermark(database), reach) }) as unknown as Store
const asked = (filter: Record<string, unknown>) => ({
  agent: '',
  verb: '',
  activity: '',
  registration: '',
  since: '',
  until: '',
  ascending: false,
  offset: '',
  ...filter,
  relatedAgents: filter['related_agents'] === true,
  relatedActivities: filter['related_activities'] === true,
})
const how = { format: 'exact', acceptLanguage: '', attachments: false } as const

/** Every page in turn; none but the last may be empty. */
async function allPages(on: Store, caller: Caller, filter: Record<string, unknown>, limit: number): Promise<Json[]> {
  const found: Json[] = []
  const agent = filter['agent'] ? JSON.stringify(filter['agent']) : ''
  for (let offset = ''; ;) {
    const page = await queryStatements(on, caller, { ...asked({ ...filter, agent }), limit, offset }, how)
    found.push(...page.json().map((json) => JSON.parse(json.toString())))
    if (page.next === '') return found
    expect(page.json().length).toBeGreaterThan(0)
    offset = page.next
  }
}

test('pages that look a few candidates at a time find what a look at every statement finds', async () => {
  const short = readerWith({ first: 1, further: 7, patience: 10_000 })
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
}, 60_000)

/** Statements of ann and of ben in turn; ann lost them all, ben won them all. */
const inTurn = () =>
  [
    ...statements(100, { actor: player('ann'), verb: verb('lost') }),
    ...statements(100, { actor: player('ben'), verb: verb('won') }),
  ].sort((one, other) => (one.id < other.id ? -1 : 1))

test('a page of statements that never match ends with none, however few candidates it looks at', async () => {
  const caller = await storing(inTurn())
  const query = { ...asked({ agent: JSON.stringify(player('ann')), verb: verb('won').id }), limit: 50 }
  expect(
    (await queryStatements(readerWith({ first: 1, further: 3, patience: 10_000 }), caller, query, how)).json(),
  ).toEqual([])
})

test('a page that finds none in time is refused: no page says that there are none when nobody has looked', async () => {
  const caller = await storing(inTurn())
  const query = { ...asked({ agent: JSON.stringify(player('ann')), verb: verb('won').id }), limit: 1 }
  const impatient = readerWith({ first: 1, further: 3, patience: -1 })
  await expect(queryStatements(impatient, caller, query, how)).rejects.toMatchObject({
    reason: 'unavailable',
    message: expect.stringContaining('since and until'),
  })
  // what it finds at once it gives
  expect((await queryStatements(impatient, caller, { ...query, verb: '' }, how)).json()).toHaveLength(1)
})
