import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { quietable } from '../../../test/support/quietable.ts'
import { notifications } from './notifications.ts'
import { bestOfThree } from '../../../test/support/cost.ts'

/** An outage that only keeps what failed. */
const heard = (failed: string[]) => ({ on: false, failed: (what: string) => void failed.push(what), answered() {} })

let fresh: TestDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.close())

test('a silent connection that listens is replaced, and waiting callers are woken', bestOfThree, async () => {
  const way = await quietable(fresh.url)
  const failed: string[] = []
  const notices = notifications('test_notices', { url: way.url, wait: 500, outage: heard(failed) })
  onTestFinished(() => notices.close())
  let woken = 0
  const end = notices.on('a', () => woken++)
  const tell = (payload: string) => fresh.sql("select pg_notify('test_notices', $1)", [payload])
  await expect.poll(() => woken).toBe(1)
  await tell('a')
  await expect.poll(() => woken).toBe(2)
  // a connection that lives is left alone
  await new Promise((done) => setTimeout(done, 1_500))
  expect([woken, failed]).toEqual([2, []])
  way.silence(false)
  await tell('a')
  await expect.poll(() => woken).toBe(3)
  expect(failed).toEqual(['the connection that listens broke: Query read timeout'])
  await tell('b')
  await tell('a')
  await expect.poll(() => woken).toBe(4)
  end()
})
