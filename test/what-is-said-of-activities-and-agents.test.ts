import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../core/records/access/caller.ts'
import { openDatabase, type Database } from '../core/process/database/database.ts'
import { cellOver as cellWith } from '../core/records/cells/cell.ts'
import { countingOf } from '../core/analytics/store/cell/counts.ts'
import { formerLearners } from '../core/analytics/store/cell/former-learners.ts'
import { activityKey, agentKey } from '../core/records/xapi/identify.ts'
import { learnerKeys } from '../core/records/access/learner.ts'
import { connectionTo, freshDatabase, type TestDatabase } from './support/database.ts'
import { startProcesses } from './support/processes.ts'
import { player, statement, type Json } from './support/statements.ts'
import { newCaller, preparedFor } from './support/store.ts'

const cellOver = (database: Database) => cellWith(database, countingOf(formerLearners()))

let fresh: TestDatabase
let database: Database
let caller: Caller
beforeAll(async () => {
  fresh = await freshDatabase()
  database = openDatabase({ url: fresh.url, connections: 8, wait: 2_000, statementTimeout: 10_000 })
  caller = await newCaller(fresh)
})
afterAll(async () => {
  await database.close()
  await fresh.close()
})

type Step = (what: string, run: () => Promise<unknown[]>) => Promise<unknown[]>

/** A core's part of a cell, whose writes go through `step`. */
function coreWith(step: Step) {
  const run: Database['run'] = (query, values) =>
    step(query.name, () => database.run(query, values)) as ReturnType<typeof database.run<never>>
  return cellOver({ ...database, run })
}
type Core = ReturnType<typeof coreWith>
const plain = (): Core => cellOver(database)

/** Stores statements of one request; resolves when they are committed. */
async function commit(core: Core, ...list: Json[]) {
  const [outcome] = await core.statements.store([{ ...caller, prepared: preparedFor(caller, list) }])
  if (typeof outcome !== 'object') throw new Error(outcome)
  return outcome
}
/** The same; resolves as the answer does. */
const store = async (core: Core, ...list: Json[]): Promise<void> => void (await (await commit(core, ...list)).told)

const texts = (told: Awaited<ReturnType<Core['knowledge']['definitions']>>) =>
  Array.isArray(told) ? told.map(({ text }) => text) : told
const definitions = async (core: Core, id: string) => texts(await core.knowledge.definitions(caller, activityKey(id)))
const names = async (core: Core, agent: Json) => texts(await core.knowledge.names(caller, agentKey(agent as never)!))
const untold = async () => (await fresh.sql<{ n: number }>('select count(*)::int as n from telling'))[0]!.n

let made = 0
/** The id of an activity that nothing was said of. */
const unheard = () => `https://games.example.org/told/${made++}`
const says = (id: string, name: string) => statement({ object: { id, definition: { name: { en: name } } } })
const said = (name: string) => JSON.stringify({ name: { en: name } })

const touched = {
  name: 'rows_touched',
  text: `select relname as table, n_tup_ins + n_tup_upd + n_tup_del as written, idx_tup_fetch + seq_tup_read as read
    from pg_stat_xact_user_tables where n_tup_ins + n_tup_upd + n_tup_del + idx_tup_fetch + seq_tup_read > 0`,
}
interface Touched extends Record<string, unknown> {
  table: string
  written: string
  read: string
}

/** A core that keeps which rows of which tables each of its writes has touched. */
function counting() {
  const steps: { what: string; rows: Record<string, { written: number; read: number }> }[] = []
  const core = cellOver({
    ...database,
    run: (query, values) =>
      database.transaction(async (run) => {
        // the view also has what earlier transactions of this connection have not reported
        const look = async () => new Map((await run<Touched>(touched, [])).map((row) => [row.table, row]))
        const before = await look()
        const result = await run<never>(query, values)
        const after = await look()
        const more = (table: string, what: 'written' | 'read') =>
          Number(after.get(table)![what]) - Number(before.get(table)?.[what] ?? 0)
        steps.push({
          what: query.name,
          rows: Object.fromEntries(
            [...after.keys()].map((table) => [table, { written: more(table, 'written'), read: more(table, 'read') }]),
          ),
        })
        return result
      }),
  })
  const written = (what: string) =>
    steps
      .filter((step) => step.what === what)
      .map(({ rows }) =>
        Object.fromEntries(
          Object.entries(rows).flatMap(([table, { written }]) => (written > 0 ? [[table, written]] : [])),
        ),
      )
  return { core, steps, written }
}

describe('under the lock of the order are the rows of statements and one row of all that they say:', () => {
  const many = Array.from({ length: 9_900 }, (_, n) => n)
  const other = (list: object[]) => statement({ context: { contextActivities: { other: list } } })
  const group = (list: object[]) => statement({ actor: { objectType: 'Group', member: list } })
  const worst: [what: string, sent: () => Json, rows: object][] = [
    [
      '9,900 activities with definitions',
      () => other(many.map((n) => ({ id: `a:${n}`, definition: { type: 'x:y' } }))),
      { posting: 9_900 },
    ],
    ['9,900 new activities', () => other(many.map((n) => ({ id: `b:${n}` }))), { posting: 9_900 }],
    [
      '9,900 members with names',
      () => group(many.map((n) => ({ ...player(`m${n}`), name: `${n}` }))),
      { posting: 9_900 },
    ],
    [
      '9,900 definitions of one activity',
      () => other(many.map((n) => ({ id: 'c:c', definition: { type: `x:${n}` } }))),
      { posting: 1 },
    ],
  ]
  test.each(worst)('%s', async (_what, sent, postings) => {
    const { core, written } = counting()
    await store(core, sent())
    expect(written('store_statements')).toEqual([{ statement: 1, telling: 1, ...postings }])
    // and in small transactions afterwards
    const told = written('tell')
    expect(told.length).toBeGreaterThanOrEqual(10)
    // each is written once, and removed once at the most when there are too many
    const rows = told.reduce(
      (sum, { activity_definition = 0, agent_name = 0 }) => sum + activity_definition + agent_name,
      0,
    )
    expect(rows).toBeLessThanOrEqual(2 * 9_902)
    expect(await untold()).toBe(0)
  })

  test('what is known already is one step', async () => {
    const { core, steps } = counting()
    const id = unheard()
    await store(core, says(id, 'same'))
    const before = steps.length
    for (let n = 0; n < 3; n++) await store(core, says(id, 'same'))
    expect(steps.slice(before).map(({ what }) => what)).toEqual(Array(3).fill('store_statements'))
    // beside one that changes, the others are not written again
    await store(core, says(id, 'same'), says(unheard(), 'another'))
    expect(steps.at(-1)!.rows['activity_definition']!.written).toBe(1)
  })
})

test('a definition that changes in each statement costs the 1,500th what it costs the 10th', async () => {
  const { core, steps } = counting()
  const id = unheard()
  for (let n = 0; n < 150; n++) {
    // ten statements in each group
    await store(core, ...Array.from({ length: 10 }, (_, k) => says(id, `${n * 10 + k}`)))
  }
  const rows = steps.map(({ rows }) =>
    Object.entries(rows).reduce(
      (sum, [table, { read, written }]) => sum + (table === 'telling' ? 0 : read + written),
      0,
    ),
  )
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[list.length >> 1]!
  expect(median(rows.slice(-40))).toBeLessThanOrEqual(median(rows.slice(10, 50)))
  // keeping the newest 1,000 is counted, too
  expect(rows.reduce((sum, one) => sum + one, 0) / 1_500).toBeLessThan(20)
  const kept = await definitions(core, id)
  expect(kept).toEqual(Array.from({ length: 1_000 }, (_, n) => said(`${500 + n}`)))
})

test('the newest `stored` wins, in whatever order two cores write, and at every moment between', async () => {
  const orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] // prettier-ignore
  for (const order of orders) {
    const held: (() => Promise<unknown>)[] = []
    const hold: Step = (what, run) =>
      what === 'tell' ? new Promise((done) => held.push(() => run().then((rows) => done(rows)))) : run()
    // a third core, because one writes its own in their order
    const cores = [coreWith(hold), coreWith(hold), coreWith(hold)]
    const id = unheard()
    const ann = player(id)
    const told = []
    for (const [n, name] of ['A', 'B', 'A'].entries())
      told.push((await commit(cores[n]!, { ...says(id, name), actor: { ...ann, name: `name ${n}` } })).told)
    await expect.poll(() => held.length).toBe(3)
    const expectRight = async () => {
      expect((await definitions(plain(), id))!.slice(-2)).toEqual([said('B'), said('A')])
      expect(await names(plain(), ann)).toEqual(['"name 0"', '"name 1"', '"name 2"'])
    }
    await expectRight()
    for (const n of order) {
      await held[n]!()
      await expectRight()
    }
    for (const one of told) await one
    expect(await untold()).toBe(0)
  }
})

test('a core that ends between any two steps leaves nothing out: others find it, and write it', async () => {
  for (let steps = 0; ; steps++) {
    let left = steps
    let end = () => {}
    const ended: Step = (what, run) => {
      if (what !== 'tell' || left-- > 0) return run()
      end()
      return new Promise(() => {})
    }
    const id = unheard()
    const members = Array.from({ length: 2_500 }, (_, n) => ({ ...player(`${id}/${n}`), name: 'Ann' }))
    const isEnded = new Promise<void>((done) => (end = done))
    const { told } = await commit(coreWith(ended), {
      ...says(id, 'there'),
      actor: { objectType: 'Group', member: members },
    })
    await Promise.race([told, isEnded])
    const expectAll = async () => {
      expect(await definitions(plain(), id)).toEqual([said('there')])
      for (const member of [members[0]!, members.at(-1)!]) expect(await names(plain(), member)).toEqual(['"Ann"'])
    }
    await expectAll()
    while ((await plain().statements.tellRest(0)) > 0);
    await expectAll()
    expect(await untold()).toBe(0)
    if (left >= 0) break
  }
})

test('an erasure takes what is not written yet; what was under way writes nothing afterwards', async () => {
  const ann = player('erased while it is told')
  const held: (() => Promise<unknown>)[] = []
  const hold: Step = (what, run) =>
    what === 'tell' ? new Promise((done) => held.push(() => run().then((rows) => done(rows)))) : run()
  const { told } = await commit(coreWith(hold), statement({ actor: { ...ann, name: 'Nonesuch' } }))
  await expect.poll(() => held.length).toBe(1)
  const config = { authorityHome: 'https://lrs.example.org' }
  const keys = { ...learnerKeys('x', config), key: agentKey(ann)! }
  await plain().learnerData.eraseStep(1, false, (erasing) => erasing.removeNames(keys))
  expect(await names(plain(), ann)).toBeUndefined()
  await held[0]!()
  await told
  expect(await names(plain(), ann)).toBeUndefined()
  expect(await untold()).toBe(0)
})

test('who reads of one activity opens no lists of what others told', async () => {
  const unwritten: Step = (what, run) => (what === 'tell' ? new Promise(() => {}) : run())
  const [id, ...others] = Array.from({ length: 1_000 }, unheard)
  await commit(coreWith(unwritten), says(id!, 'there'))
  await commit(
    coreWith(unwritten),
    statement({ context: { contextActivities: { other: others.map((id) => ({ id })) } } }),
  )
  let asked: { text: string; values: unknown[] } | undefined
  const run: Database['run'] = (query, values) => {
    asked = { text: `explain (analyze, format json) ${query.text}`, values }
    return database.run(query, values)
  }
  expect(await definitions(cellOver({ ...database, run }), id!)).toEqual([said('there')])
  const client = await connectionTo(fresh.url)
  const { rows } = await client.query(asked!)
  await client.end()
  expect(JSON.stringify(rows)).toContain('telling')
  expect(entriesIn(rows[0]['QUERY PLAN'][0].Plan)).toBeLessThan(20)
  while ((await plain().statements.tellRest(0)) > 0);
})

/** Entries that functions such as unnest() gave to the query of this plan. */
function entriesIn(plan: Record<string, unknown>): number {
  const inner = ((plan['Plans'] ?? []) as Record<string, unknown>[]).reduce((sum, one) => sum + entriesIn(one), 0)
  if (plan['Node Type'] !== 'Function Scan') return inner
  const found = Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0)
  return inner + found * Number(plan['Actual Loops'])
}

test('what retention forgets is written before writers wait for it', async () => {
  const unwritten: Step = (what, run) => (what === 'tell' ? new Promise(() => {}) : run())
  await commit(coreWith(unwritten), statement({ actor: { ...player('forgotten'), name: 'Ann' } }))
  expect(await untold()).toBe(1)
  const writer = await connectionTo(fresh.url)
  await writer.query('begin; select pg_advisory_xact_lock(2026, order_lock(1))')
  const forgotten = plain().expiry.forget(randomUUID(), caller.game, [])
  await expect.poll(untold, { timeout: 1_500 }).toBe(0)
  await writer.query('commit')
  await writer.end()
  expect(await forgotten).toEqual([])
})

test('kill -9 after the commit: the other core has the definition, and the statement that is sent again is answered', async () => {
  const processes = await startProcesses({ cores: 2 })
  try {
    const game = await processes.game()
    const id = unheard()
    const one = says(id, 'there')
    const holding = await connectionTo(processes.database.url)
    await holding.query('begin; lock activity_definition in exclusive mode')
    const store = async (core: number) =>
      (await game.rpc(core).statements.storeStatements({ json: Buffer.from(JSON.stringify(one)) })).ids
    const lost = store(0).catch(() => 'lost')
    const stored = () => processes.database.sql('select from statement where id = $1', [one.id])
    await expect.poll(stored).toHaveLength(1)
    await processes.killCore(0)
    expect(await lost).toBe('lost')
    const found = async () =>
      JSON.parse(Buffer.from((await game.rpc(1).statements.getActivity({ activityId: id })).json).toString()).definition
    expect(await store(1)).toEqual([one.id])
    expect(await found()).toEqual({ name: { en: 'there' } })
    await holding.end()
    // a core looks for what others left
    const left = () => processes.database.sql('select from telling')
    await expect.poll(left, { timeout: 60_000, interval: 500 }).toHaveLength(0)
    expect(await found()).toEqual({ name: { en: 'there' } })
  } finally {
    await processes.close()
  }
})
