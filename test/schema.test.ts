import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../core/store.ts'
import { emptyDatabase, freshDatabase, type TestDatabase } from './support/database.ts'
import { functionsOf, schemaOf } from './support/schema.ts'

const old = readFileSync(new URL('fixtures/schema-017.sql', import.meta.url), 'utf8')

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

async function migrate({ url }: TestDatabase): Promise<number> {
  const store = openStore({ url, connections: 2, wait: 2_000, statementTimeout: 10_000 })
  try {
    return await store.migrate()
  } finally {
    await store.close()
  }
}

/** A database as the program of that version left it. */
async function databaseOf(version: number): Promise<TestDatabase> {
  const made = await emptyDatabase()
  await made.sql(old)
  await made.sql('create table schema_version (version int primary key, applied timestamptz not null default now())')
  await made.sql('insert into schema_version select generate_series(1, $1)', [version])
  return made
}

const heading = `-- The schema that the steps in migrations/ make, to read; nothing runs this file.
-- npm test -- test/schema.test.ts -u   writes it again.

`

test('core/process/database/schema.sql shows the schema that the steps make', async () => {
  await expect(heading + (await schemaOf(database))).toMatchFileSnapshot('../core/process/database/schema.sql')
})

test('a database of version 17 gets the same tables and functions as an empty one', async () => {
  const upgraded = await databaseOf(17)
  await upgraded.sql("insert into game (name) values ('kept')")
  await migrate(upgraded)
  expect(await schemaOf(upgraded)).toBe(await schemaOf(database))
  expect(await functionsOf(upgraded)).toEqual(await functionsOf(database))
  expect(await upgraded.sql('select name from game')).toEqual([{ name: 'kept' }])
  await upgraded.close()
})

test('a database of an earlier version is refused in words, and stays as it was', async () => {
  const early = await databaseOf(16)
  await expect(migrate(early)).rejects.toThrow(
    /schema version 16, this program upgrades from 17 on: start the program of commit bb1d7de9 first/,
  )
  expect(await early.sql('select max(version)::int as version from schema_version')).toEqual([{ version: 16 }])
  await early.close()
})

test('functions of another program are replaced', async () => {
  const other = await freshDatabase()
  await other.sql("create or replace function most_links() returns int language sql immutable as 'select 7'")
  await migrate(other)
  expect(await other.sql('select most_links() as most')).toEqual([{ most: 7 }])
  await other.sql("update schema_version set functions = 'of another program' where functions is not null")
  await migrate(other)
  expect(await other.sql('select most_links() as most')).toEqual([{ most: 2_000 }])
  await other.close()
})

test('a step with a lower number that came into the program later is taken as well', async () => {
  const behind = await freshDatabase()
  await behind.sql('delete from schema_version where version = 19')
  await behind.sql("create function expect_erasures() returns int language sql as 'select 1'")
  await migrate(behind)
  expect((await functionsOf(behind)).some(({ signature }) => signature.startsWith('expect_erasures'))).toBe(false)
  await behind.close()
})
