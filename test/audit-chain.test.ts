import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkAudit } from '../core/accounts/query/check-audit.ts'
import { openStore, type Store } from '../core/store.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let cores: Store[]
beforeAll(async () => {
  database = await freshDatabase()
  cores = [1, 2].map(() => openStore({ url: database.url, connections: 4, wait: 10_000, statementTimeout: 20_000 }))
})
afterAll(async () => {
  for (const core of cores) await core.close()
  await database.close()
})

const entry = (name: string) => ({
  action: 'game.create',
  actor: { kind: 'service', id: name },
  outcome: 'ok',
  address: '203.0.113.1',
  details: { name },
  count: 1,
})
const check = (noted?: { position: number; hash: string }) => checkAudit(cores[0]!, 0, noted)
/** What the owner of the tables can do, whom no trigger stops. */
const tamper = (text: string) =>
  database.sql(`begin; alter table audit_entry disable trigger user; ${text}; alter table audit_entry enable trigger user;
    commit`)

beforeEach(async () => {
  await tamper(
    "delete from audit_entry; update audit_chain set position = 0, hash = '', expired_position = 0, expired_hash = ''",
  )
  for (const name of ['a', 'b', 'c']) await cores[0]!.audit.add([entry(name), entry(`${name} again`)])
})

test('a log that nobody touched is whole', async () => {
  expect(await check()).toMatchObject({ checked: 6, first: 1, last: 6, problem: '', more: false })
})

test.each([
  ['a changed entry', "update audit_entry set outcome = 'forbidden' where position = 3", /position 3 .* was changed/],
  [
    'a changed detail',
    `update audit_entry set details = '{"name":"x"}' where position = 3`,
    /position 3 .* was changed/,
  ],
  ['a changed time', 'update audit_entry set id = gen_random_uuid() where position = 3', /position 3 .* was changed/],
  ['a removed entry', 'delete from audit_entry where position = 3', /missing before position 4/],
  ['the first one removed', 'delete from audit_entry where position = 1', /missing before position 2/],
  ['the last one removed', 'delete from audit_entry where position = 6', /missing at the end.* position 5, .* at 6/],
  ['all removed', 'delete from audit_entry', /missing at the end/],
  [
    'one removed and those after it moved up',
    'delete from audit_entry where position = 3; update audit_entry set position = position - 10 where position > 3;' +
      'update audit_entry set position = position + 9 where position < 1;' +
      'update audit_chain set position = 5',
    /position 3 .* was changed/,
  ],
  [
    'an inserted entry',
    "insert into audit_entry (action, actor) values ('game.create', 'service')",
    /has no place in the chain/,
  ],
  [
    'an inserted entry with a place',
    'update audit_entry set position = 7 where position = 6; insert into audit_entry (action, actor, position, hash) ' +
      "select 'game.create', 'service', 6, hash from audit_entry where position = 5; update audit_chain set position = 7",
    /position 6 .* was changed/,
  ],
  [
    'two entries that changed places',
    'update audit_entry set position = -position where position in (3, 4); ' +
      'update audit_entry set position = 7 + position where position < 0',
    /position 3 .* was changed/,
  ],
])('%s is found', async (_what, text, problem) => {
  await tamper(text)
  expect((await check()).problem).toMatch(problem)
})

test('a log that was written again as a whole is found with a head that was noted', async () => {
  const { head } = await check()
  await tamper(
    `create table kept as select * from audit_entry order by position; delete from audit_entry;
     update audit_chain set position = 0, hash = ''; alter table audit_entry enable trigger audit_linked;
     insert into audit_entry (id, action, actor, actor_id) select id, action, actor, 'somebody' from kept; drop table kept`,
  )
  expect(await check()).toMatchObject({ checked: 6, problem: '', notedProblem: '' })
  expect((await check(head)).notedProblem).toMatch(/position 6 has another hash now/)
  expect((await check({ ...head, position: 7 })).notedProblem).toMatch(/no entry at position 7/)
})

test('adding entries locks nothing but the end of the chain, in one statement', async () => {
  const end = async () => (await database.sql<{ lsn: string }>('select pg_current_wal_insert_lsn() as lsn'))[0]!.lsn
  const bytes: number[] = []
  for (let round = 0; round < 10; round++) {
    const before = await end()
    for (let n = 0; n < 5; n++) await cores[0]!.audit.add([entry(`${n}`)])
    const [row] = await database.sql<{ each: number }>('select ($1::pg_lsn - $2::pg_lsn)::float8 / 5 as each', [
      await end(),
      before,
    ])
    bytes.push(row!.each)
  }
  // other tests write to the same log
  expect(Math.min(...bytes), 'bytes of the log of Postgres for an entry').toBeLessThan(3_000)
})

test('two cores that write at the same time make one chain', async () => {
  await Promise.all(Array.from({ length: 60 }, (_, n) => cores[n % 2]!.audit.add([entry(`${n}`), entry(`${n} again`)])))
  expect(await check()).toMatchObject({ checked: 126, first: 1, last: 126, problem: '' })
})

test('the retention leaves a chain that can be checked from the oldest entry on, also when the order of ids is another', async () => {
  await tamper("delete from audit_entry; update audit_chain set position = 0, hash = ''")
  // entries of 500 to 494 days ago, two of them the other way round, and of today
  for (const days of [500, 498, 499, 497, 496, 495, 0, 0])
    await database.sql(
      `insert into audit_entry (id, action, actor, address)
       values (overlay(audit_id(now() - make_interval(days => $1))::text placing right(gen_random_uuid()::text, 12)
         from 25)::uuid, 'a', 'service', '203.0.113.1')`,
      [days],
    )
  const { head } = await check()
  for (const kept of [6, 4, 2]) {
    expect(await cores[1]!.audit.sweep(400, 2)).toBe(2)
    expect(await check(head)).toMatchObject({ checked: kept, first: 9 - kept, problem: '', notedProblem: '' })
  }
  expect(await cores[1]!.audit.sweep(400, 2)).toBe(0)
  expect((await check({ position: 3, hash: head.hash })).notedProblem).toMatch(/deleted because of its age/)
  await cores[0]!.audit.add([entry('later')])
  expect(await check()).toMatchObject({ checked: 3, problem: '' })
})
