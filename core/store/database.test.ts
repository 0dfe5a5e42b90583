import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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

/** A way to the database that can fall silent: what is on it stays open, and nothing passes any more. */
async function quietable() {
  const at = new URL(fresh.url)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(`${at.searchParams.get('host')}/.s.PGSQL.${at.searchParams.get('port')}`)
    for (const [from, to] of [[near, far], [far, near]] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => (sockets.delete(from), to.destroy()))
      from.pipe(to)
      if (isSilent) from.unpipe()
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    url: `postgres://${at.searchParams.get('user')}@127.0.0.1:${(server.address() as AddressInfo).port}${at.pathname}?sslmode=disable`,
    /** Those that are open; with `later` new ones, too. */
    silence(later: boolean): void {
      isSilent = later
      for (const socket of sockets) socket.unpipe()
    },
    mend(): void {
      isSilent = false
      // what was stuck is gone
      for (const socket of sockets) socket.destroy()
    },
  }
}

const sleep = { name: 'test_sleep', text: 'select pg_sleep($1)' }
const one = { name: 'test_one', text: 'select 1 as n' }

/** With what it ended, and after how many milliseconds. */
async function ended(work: Promise<unknown>): Promise<{ how: unknown; ms: number }> {
  const began = performance.now()
  const how = await work.then(() => 'done', (error) => error.reason ?? error)
  return { how, ms: performance.now() - began }
}

async function open(url: string, statementTimeout: number): Promise<Database> {
  const through = openDatabase({ url, connections: 2, wait: 2_000, statementTimeout })
  onTestFinished(() => through.close())
  await Promise.all([through.run(one, []), through.run(one, [])])
  return through
}

test('a database that falls silent is found out within 2 s, by all who wait for it, and is used again when it answers', async () => {
  const way = await quietable()
  const through = await open(way.url, 10_000)
  way.silence(true)
  const calls = [
    through.run(one, []), through.transaction((run) => run(one, [])), through.build((knex) => knex('kept').select('x')), through.run(one, []), through.run(one, []),
  ]
  const all = await Promise.all(calls.map(ended))
  expect(all.map(({ how }) => how)).toEqual(calls.map(() => 'unavailable'))
  // 2 s, and what a busy machine adds
  expect(Math.max(...all.map(({ ms }) => ms))).toBeLessThan(3_000)
  way.mend()
  expect(await through.run(one, [])).toEqual([{ n: 1 }])
  expect(await through.transaction((run) => run(one, []))).toEqual([{ n: 1 }])
})

test('a query that is slow on a database that answers goes on; one whose connection alone is silent ends', async () => {
  const way = await quietable()
  const [slow, stuck] = await Promise.all([open(way.url, 10_000), open(way.url, 500)])
  const longer = { name: 'test_longer', text: "select set_config('statement_timeout', '10000', true)" }
  const sleeping = [
    slow.run(sleep, [4]),
    stuck.transaction(async (run) => {
      await run(longer, [])
      await run(sleep, [4])
    }, 10_000),
  ].map(ended)
  await expect.poll(() => [slow.pool().used, stuck.pool().used]).toEqual([1, 1])
  const other = await quietable()
  const alone = await open(other.url, 500)
  other.silence(false)
  const { how, ms } = await ended(alone.run(one, []))
  expect(how).toBe('unavailable')
  expect(ms).toBeGreaterThan(2_000)
  expect(ms).toBeLessThan(4_000)
  other.mend()
  expect((await Promise.all(sleeping)).map(({ how }) => how)).toEqual(['done', 'done'])
})
