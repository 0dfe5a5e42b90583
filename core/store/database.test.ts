import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../test/support/database.ts'
import { openDatabase, type Database } from './database.ts'

let fresh: TestDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.sql('create table kept (x int primary key)')
  database = openDatabase({ url: fresh.url, connections: 2, wait: 2_000, statementTimeout: 5_000 })
})
afterAll(async () => {
  await database.close()
  await fresh.close()
})

const insert = { name: 'test_insert', text: 'insert into kept (x) values ($1)' }
const update = { name: 'test_update', text: 'update kept set x = x where x = $1' }
const count = async () => (await fresh.sql<{ n: number }>('select count(*)::int as n from kept'))[0]!.n

test('a transaction that fails leaves nothing, and its connection is good for the next one', async () => {
  for (let round = 0; round < 5; round++) {
    const failing = database.transaction(async (run) => {
      await run(insert, [1])
      throw new Error('on the way')
    })
    await expect(failing).rejects.toThrow('on the way')
    expect(await count()).toBe(0)
  }
  await database.transaction((run) => run(insert, [1]))
  await expect(database.transaction(async (run) => {
    await run(insert, [2])
    await run(insert, [1])
  })).rejects.toThrow(/duplicate key/)
  expect(await count()).toBe(1)
})

test('of two that wait for each other one is run again, whole', async () => {
  await database.transaction((run) => run(insert, [2]))
  const both = Promise.withResolvers<void>()
  let begun = 0
  const pair = (first: number, second: number) =>
    database.transaction(async (run) => {
      await run(update, [first])
      if (++begun === 2) both.resolve()
      await both.promise
      await run(update, [second])
    })
  await Promise.all([pair(1, 2), pair(2, 1)])
  expect(begun).toBeGreaterThanOrEqual(3)
})
