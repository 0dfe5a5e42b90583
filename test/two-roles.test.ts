import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrateAs } from '../core/process/database/owner.ts'
import { openDatabase } from '../core/process/database/database.ts'
import { checkAudit } from '../core/accounts/query/check-audit.ts'
import { openStore } from '../core/store.ts'
import { done, run } from './support/admin.ts'
import { databaseAt, emptyDatabase, type TestDatabase } from './support/database.ts'
import { statements } from './support/statements.ts'
import { addStudio } from './support/studios.ts'
import { startSystem, type System } from './support/system.ts'
import { databaseUrl } from './support/template.ts'

const suffix = randomBytes(4).toString('hex')
const [owner, core] = [`owner_${suffix}`, `core_${suffix}`]
let database: TestDatabase
/** The superuser. */
let admin: TestDatabase
let system: System
const as = (role: string): string => {
  const url = new URL(database.url)
  url.searchParams.set('user', role)
  return url.href
}
/** Runs SQL as core's role, as a program would that has its password. */
const sql = async (text: string) => databaseAt(as(core)).sql(text)
const start = (ownerUrl?: string) =>
  startSystem({ database: { ...databaseAt(as(core)), close: async () => {} }, ownerUrl })

beforeAll(async () => {
  database = await emptyDatabase()
  admin = databaseAt(as('postgres'))
  await admin.sql(`create role ${owner} login; create role ${core} login;
    do $$ begin execute format('alter database %I owner to ${owner}', current_database()); end $$`)
  system = await start(as(owner))
})
afterAll(async () => {
  await system?.close()
  await admin.sql(`do $$ begin execute format('alter database %I owner to lrs', current_database()); end $$`)
  await database.close()
  await databaseAt(databaseUrl(as('postgres'), 'postgres')).sql(`drop role ${owner}; drop role ${core}`)
})

test('core stores, reads, adds a cell, moves a game and notes what it did without owning a table', async () => {
  const game = await system.game()
  const { json: ids } = await game.xapi().post(statements(3))
  expect(await system.admin.cells.addCell({})).toMatchObject({ number: 2 })
  await system.admin.cells.moveGame({ gameId: game.id, cell: 2 })
  expect((await game.xapi().all()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  await game.xapi().post(statements(2))
  expect(await game.xapi().all()).toHaveLength(5)
  await (await addStudio({ ...system, database: admin }, 'Fox')).on().games.createGame({ name: 'Quiz' })
  const { entries } = await system.admin.audit.listEntries({})
  expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(['cell.add', 'game.move', 'game.create']))
  const owned = await admin.sql(`select from pg_class where relowner = '${core}'::regrole and relnamespace::regnamespace
    ::text in ('public', 'cell_2')`)
  expect(owned).toEqual([])
})

test("core's role can read the audit log and add to it; it cannot change what is there", async () => {
  await sql("insert into audit_entry (action, actor) values ('test.added', 'service')")
  const before = await admin.sql('select * from audit_entry order by position')
  const link = 'for each row execute function link_audit()'
  for (const text of [
    'delete from audit_entry',
    "update audit_entry set action = 'other'",
    'update audit_entry set address = null',
    'truncate audit_entry',
    'drop table audit_entry',
    'alter table audit_entry disable trigger user',
    'alter table audit_entry disable trigger all',
    "set session_replication_role = 'replica'; delete from audit_entry",
    'create trigger mine before insert on audit_entry for each row execute function keep_audit()',
    `create temp table mine (like audit_entry); create trigger linked before insert on mine ${link}`,
    'update audit_chain set position = 0',
    'delete from audit_chain',
    'insert into audit_chain (position) values (0)',
    'create or replace function keep_audit() returns trigger language plpgsql as $$ begin return old; end $$',
    'create function public.audit_hash(bytea, jsonb) returns bytea language sql as $$ select null::bytea $$',
    `set role ${owner}`,
    `grant delete on audit_entry to ${core}; delete from audit_entry`,
    `alter function sweep_audit owner to ${core}`,
    'create table public.mine ()',
  ])
    await expect(sql(text), text).rejects.toThrow(/permission denied|must be owner/)
  // tables of its own do not stand in for those of the functions that run as the owner
  await sql(`create temp table audit_chain (position bigint, hash bytea); create temp table cell (number int);
    insert into audit_entry (action, actor) values ('test.shadowed', 'service'); select sweep_audit(31, 100)`)
  await expect(sql('select sweep_audit(0, 100)')).rejects.toThrow(/the audit log only grows: delete is refused/)
  const after = await admin.sql('select * from audit_entry order by position')
  expect(after.slice(0, before.length)).toEqual(before)
  expect(after).toHaveLength(before.length + 1)
})

test('the retention still deletes what is old, and leaves a chain', async () => {
  const store = openStore({ url: as(core), connections: 2, wait: 10_000, statementTimeout: 10_000 })
  try {
    const count = async () => (await admin.sql<{ n: number }>('select count(*)::int as n from audit_entry'))[0]!.n
    const kept = await count()
    const chain = `delete from audit_entry; update audit_chain set position = 0, hash = ''`
    await admin.sql(`begin; alter table audit_entry disable trigger user; create temp table was on commit drop as
        select * from audit_entry; ${chain}; alter table audit_entry enable trigger user;
      insert into audit_entry (id, action, actor, address)
        select audit_id(now() - make_interval(days => 500 - n)), 'test.old', 'service', '203.0.113.1'
        from generate_series(1, 3) n;
      insert into audit_entry (id, action, actor, address) select id, action, actor, address from was order by position;
      commit`)
    expect(await count()).toBe(kept + 3)
    expect(await store.audit.sweep(400, 100)).toBe(3)
    expect(await checkAudit(store, 0, undefined)).toMatchObject({ checked: kept, first: 4, problem: '' })
  } finally {
    await store.close()
  }
})

test('a core without the address of the owner starts after "migrate" has had it', async () => {
  await admin.sql(`revoke all on placement from ${core}`)
  const env = { DATABASE_URL: as(core), LRS_MIGRATION_DATABASE_URL: as(owner) }
  expect(await run(['migrate'], { env })).toEqual(done(expect.stringMatching(/^The schema is at version \d+\.$/)))
  const another = await start()
  const game = await another.game()
  expect((await game.xapi().post(statements(1))).status).toBe(200)
  expect(await another.admin.cells.addCell({})).toMatchObject({ number: 3 })
  await another.close()
})

test('a core without it says at an upgrade who has to make that', async () => {
  await admin.sql('update schema_version set functions = null')
  await expect(start()).rejects.toThrow(/may not change them: run "games-lrs migrate" with LRS_MIGRATION_DATABASE_URL/)
  await (await start(as(owner))).close()
})

test('rights that were taken or given since are put right at the start', async () => {
  await admin.sql(`grant delete on audit_entry to ${core}; revoke all on placement from ${core}`)
  await (await start(as(owner))).close()
  await expect(sql('delete from audit_entry')).rejects.toThrow(/permission denied/)
  await sql('update placement set changes = changes')
})

test.each([
  ['the same role', () => [owner, owner], /protects nothing/],
  ['a superuser for core', () => [owner, 'postgres'], /protects nothing/],
  ['an owner that does not own the tables', () => [core, owner], /reassign owned by owner_\w+ to core_\w+/],
] as const)('%s is refused in words', async (_, roles, why) => {
  const [ownerRole, coreRole] = roles()
  const opened = openDatabase({ url: as(coreRole!), connections: 2, wait: 5_000, statementTimeout: 5_000 })
  try {
    await expect(migrateAs(as(ownerRole!), opened)).rejects.toThrow(why)
  } finally {
    await opened.close()
  }
})

test('a store whose tables core owns gets an owner of its own', async () => {
  // `reassign` locks table after table: beside a core that works, Postgres could end either of them as a deadlock
  await system.close()
  await admin.sql(`reassign owned by ${owner} to ${core}`)
  const opened = openDatabase({ url: as(core), connections: 2, wait: 5_000, statementTimeout: 5_000 })
  try {
    const bring = () => migrateAs(as(owner), opened)
    await expect(bring()).rejects.toThrow(`as a superuser, run "reassign owned by ${core} to ${owner}"`)
    await admin.sql(`reassign owned by ${core} to ${owner}`)
    await bring()
    await sql("insert into audit_entry (action, actor) values ('test.added', 'service')")
    await expect(sql('delete from audit_entry')).rejects.toThrow(/permission denied/)
    await expect(sql('alter table audit_entry disable trigger user')).rejects.toThrow(/must be owner/)
  } finally {
    await opened.close()
  }
})
