import { Transform } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { quietable } from '../../../test/support/quietable.ts'
import { openDatabase, type Database } from './database.ts'
import { bestOfThree } from '../../../test/support/cost.ts'

let fresh: TestDatabase
let database: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.sql('create table kept (x int primary key)')
  database = openDatabase({ url: fresh.url, connections: 2, wait: 10_000, statementTimeout: 30_000 })
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
  await expect(
    database.transaction(async (run) => {
      await run(insert, [2])
      await run(insert, [1])
    }),
  ).rejects.toThrow(/duplicate key/)
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

test('who still waits for a connection when the store closes is told to try again: that is no fault', async () => {
  const one = openDatabase({ url: fresh.url, connections: 1, wait: 20_000, statementTimeout: 60_000 })
  const release = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const holding = one.transaction(async () => {
    begun.resolve()
    await release.promise
  })
  await begun.promise
  const waiting = one.run({ name: 'test_one', text: 'select 1 as x' }, []).catch((error: unknown) => error)
  const closed = one.close()
  expect(await waiting).toMatchObject({ reason: 'unavailable' })
  release.resolve()
  await holding
  await closed
})

test('who asks right after Postgres has ended a connection is not given that one', async () => {
  const one = openDatabase({ url: fresh.url, connections: 1, wait: 20_000, statementTimeout: 60_000 })
  onTestFinished(() => one.close())
  for (let round = 0; round < 5; round++) {
    const sleeping = one.run({ name: 'test_sleep', text: 'select pg_sleep(50) as ended_by_the_test' }, [])
    const next = sleeping.catch(() => one.run<{ x: number }>({ name: 'test_one', text: 'select 1 as x' }, []))
    await expect
      .poll(() =>
        fresh.sql(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where query like '%ended_by_the_test' and pid <> pg_backend_pid()`,
        ),
      )
      .toHaveLength(1)
    expect(await next).toEqual([{ x: 1 }])
  }
})

test('queries leave nothing behind in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const usedAfter = async (queries: number) => {
    for (let n = 0; n < queries; n++) await database.run(one, [])
    collect()
    return process.memoryUsage().heapUsed
  }
  await usedAfter(2_000)
  const before = await usedAfter(500)
  expect((await usedAfter(5_000)) - before).toBeLessThan(500_000)
})

const sleep = { name: 'test_sleep', text: 'select pg_sleep($1)' }
const one = { name: 'test_one', text: 'select 1 as n' }

/** With what it ended, and after how many milliseconds. */
async function ended(work: Promise<unknown>): Promise<{ how: unknown; ms: number }> {
  const began = performance.now()
  const how = await work.then(
    () => 'done',
    (error) => error.reason ?? error,
  )
  return { how, ms: performance.now() - began }
}

async function open(url: string, statementTimeout: number): Promise<Database> {
  const through = openDatabase({ url, connections: 2, wait: 2_000, statementTimeout })
  onTestFinished(() => through.close())
  await Promise.all([through.run(one, []), through.run(one, [])])
  return through
}

test(
  'a database that falls silent is found out within 2 s, by all who wait for it, and is used again when it answers',
  bestOfThree,
  async () => {
    const way = await quietable(fresh.url)
    const through = await open(way.url, 10_000)
    way.silence(true)
    const calls = [
      through.run(one, []),
      through.transaction((run) => run(one, [])),
      through.snapshot((run) => run(one, [])),
      through.run(one, []),
      through.run(one, []),
    ]
    const all = await Promise.all(calls.map(ended))
    expect(all.map(({ how }) => how)).toEqual(calls.map(() => 'unavailable'))
    // 2 s, and what a busy machine adds; nothing else would end them within 10 s
    expect(Math.max(...all.map(({ ms }) => ms))).toBeLessThan(5_000)
    way.mend()
    expect(await through.run(one, [])).toEqual([{ n: 1 }])
    expect(await through.transaction((run) => run(one, []))).toEqual([{ n: 1 }])
  },
)

/** As of a pooler: the process id in the message BackendKeyData is another one. */
const otherNumbers = () =>
  new Transform({
    transform(bytes: Buffer, _encoding, done) {
      const at = bytes.indexOf('K\0\0\0\x0c')
      if (at >= 0) bytes.writeInt32BE(1, at + 5)
      done(null, bytes)
    },
  })

/** As on a thin line: an answer of many bytes comes piece by piece, when Postgres has long sent it. */
const thinLine = () =>
  new Transform({
    writableHighWaterMark: 10_000_000,
    transform(bytes: Buffer, _encoding, done) {
      this.push(bytes)
      setTimeout(done, bytes.length > 1_000 ? 100 : 0)
    },
  })

const large = { name: 'test_large', text: "select repeat('x', 2000000)" }

test('a query that is slow on a database that answers goes on', bestOfThree, async () => {
  const way = await quietable(fresh.url)
  const pooler = await quietable(fresh.url, otherNumbers)
  const line = await quietable(fresh.url, thinLine)
  const [slow, stuck, pooled, thin] = await Promise.all([
    open(way.url, 10_000),
    open(way.url, 500),
    open(pooler.url, 10_000),
    open(line.url, 10_000),
  ])
  const longer = { name: 'test_longer', text: "select set_config('statement_timeout', '10000', true)" }
  const sleeping = await Promise.all(
    [
      slow.run(sleep, [4]),
      stuck.transaction(async (run) => {
        await run(longer, [])
        await run(sleep, [4])
      }, 10_000),
      pooled.run(sleep, [4]),
      thin.run(large, []),
    ].map(ended),
  )
  expect(sleeping.map(({ how }) => how)).toEqual(['done', 'done', 'done', 'done'])
  expect(Math.min(...sleeping.map(({ ms }) => ms))).toBeGreaterThan(2_000)
})

test(
  'who waits for one lock after the other is refused within 2 s, unless it may take longer',
  bestOfThree,
  async () => {
    const through = await open(fresh.url, 10_000)
    const holder = await open(fresh.url, 10_000)
    const hold = (lock: number, seconds: number) =>
      holder.run({ name: 'test_hold', text: 'select pg_advisory_xact_lock($1), pg_sleep($2)' }, [lock, seconds])
    // shared, so that the two who wait do not wait for each other
    const lock = 'pg_advisory_xact_lock_shared'
    const both = { name: 'test_both', text: `select ${lock}($1), ${lock}($2)` }
    const held = [hold(11, 1.5), hold(12, 3)]
    await expect
      .poll(() =>
        fresh.sql(
          "select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and granted and objid in (11, 12)",
        ),
      )
      .toHaveLength(2)
    const [refused, patient] = await Promise.all([
      ended(through.run(both, [11, 12])),
      ended(through.transaction((run) => run(both, [11, 12]), 20_000)),
    ])
    expect(refused.how).toBe('unavailable')
    // 2 s, and what a busy machine adds; by Postgres alone 3.5
    expect(refused.ms).toBeLessThan(3_000)
    expect(patient.how).toBe('done')
    await Promise.all(held)
  },
)

describe('a connection that alone falls silent', () => {
  test('with its query is given up within 2 s, and what it had locked is free', bestOfThree, async () => {
    await fresh.sql('insert into kept (x) values (3) on conflict do nothing')
    const way = await quietable(fresh.url)
    const alone = openDatabase({ url: way.url, connections: 2, wait: 2_000, statementTimeout: 10_000 })
    onTestFinished(() => alone.close())
    const silent = await ended(
      alone.transaction(async (run) => {
        await run(update, [3])
        way.silence(false)
        await run(one, [])
      }),
    )
    expect(silent.how).toBe('unavailable')
    // 2 s, and what a busy machine adds; nothing else would end it within 10 s
    expect(silent.ms).toBeLessThan(5_000)
    expect((await ended(alone.run(update, [3]))).how).toBe('done')
  })

  test('with the answer of a slow query is given up within 2 s after it', bestOfThree, async () => {
    const way = await quietable(fresh.url)
    const alone = await open(way.url, 10_000)
    const sleeping = ended(alone.run(sleep, [2]))
    await expect
      .poll(() =>
        fresh.sql(
          `select 1 from pg_stat_activity
            where state = 'active' and query like '%pg_sleep(%' and datname = current_database()`,
        ),
      )
      .toHaveLength(2)
    way.silence(false)
    const { how, ms } = await sleeping
    expect(how).toBe('unavailable')
    expect(ms).toBeGreaterThan(2_000)
    expect(ms).toBeLessThan(8_000)
    way.mend()
  })
})
