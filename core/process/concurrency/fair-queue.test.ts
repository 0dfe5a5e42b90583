import { expect, test, vi } from 'vitest'
import { Refusal } from '../refusal.ts'
import { fairQueue, type FairQueueOptions } from './fair-queue.ts'

/** Work that ends when it is told to, in the order in which it began. */
function stage(options: Partial<FairQueueOptions> = {}) {
  const clock = { now: 0 }
  const queue = fairQueue({
    concurrency: 1,
    concurrencyOfOne: 1,
    maxWaiting: 10,
    maxWait: 60_000,
    refusal: 'too many',
    now: () => clock.now,
    ...options,
  })
  const began: string[] = []
  const ends: (() => void)[] = []
  const refused: string[] = []
  const come = (owner: string, name = owner) =>
    queue
      .run(owner, () => new Promise<void>((end) => (began.push(name), ends.push(end))))
      .catch(() => void refused.push(name))
  const settle = () => new Promise((done) => setImmediate(done))
  return {
    began,
    refused,
    come,
    settle,
    /** Ends the oldest after this number of milliseconds. */
    async end(took = 0) {
      clock.now += took
      ends.shift()!()
      await settle()
    },
  }
}

test('one of each comes in turn, however many somebody has waiting', async () => {
  const { began, come, end, settle } = stage()
  for (let i = 1; i <= 5; i++) void come('a', `a${i}`)
  void come('b')
  void come('c')
  await settle()
  for (let i = 0; i < 6; i++) await end()
  expect(began).toEqual(['a1', 'a2', 'b', 'c', 'a3', 'a4', 'a5'])
})

test('the owner who has used the least time comes next, for any number of works', async () => {
  const { began, come, end, settle } = stage()
  for (const owner of ['long', 'short', 'short', 'short']) void come(owner)
  await settle()
  await end(100)
  // an owner who comes back keeps its use
  void come('long')
  for (let i = 0; i < 3; i++) await end(20)
  expect(began).toEqual(['long', 'short', 'short', 'short', 'long'])
  // newcomers have not saved up turns
  for (const owner of ['long', 'new', 'new', 'new']) void come(owner)
  await settle()
  await end(30)
  for (let i = 0; i < 3; i++) await end(20)
  expect(began.slice(5)).toEqual(['new', 'new', 'long', 'new'])
})

test('of works that are done one by one, nobody pays for the one before', async () => {
  const { began, come, end, settle } = stage({ concurrency: 2, concurrencyOfOne: 2, oneByOne: true })
  for (const owner of ['long', 'short', 'short', 'short', 'long']) void come(owner)
  await settle()
  await end(100)
  await end(20)
  expect(began).toEqual(['long', 'short', 'short', 'short'])
})

test('who fills the queue makes room for others, and is refused alone', async () => {
  const { began, refused, come, end, settle } = stage()
  for (let i = 1; i <= 50; i++) void come('flood', `flood${i}`)
  await settle()
  expect(refused.length).toBe(39)
  for (const owner of ['b', 'c', 'd']) void come(owner)
  await settle()
  expect(refused.filter((name) => !name.startsWith('flood'))).toEqual([])
  for (let i = 0; i < 5; i++) await end()
  expect(began).toEqual(expect.arrayContaining(['b', 'c', 'd']))
})

test('when everybody waits once, who comes last is refused', async () => {
  const { refused, come, settle } = stage({ maxWaiting: 3 })
  for (const owner of ['a', 'b', 'c', 'd', 'e']) void come(owner)
  await settle()
  expect(refused).toEqual(['e'])
})

test('one alone never has all that goes on at a time', async () => {
  const { began, come, settle } = stage({ concurrency: 2 })
  for (let i = 1; i <= 3; i++) void come('a', `a${i}`)
  await settle()
  expect(began).toEqual(['a1'])
  void come('b')
  await settle()
  expect(began).toEqual(['a1', 'b'])
})

test('a job waits only for so long, and what fails makes room', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const { refused, come, settle } = stage({ maxWait: 1_000 })
    void come('a')
    void come('b')
    await settle()
    vi.advanceTimersByTime(1_001)
    await settle()
    expect(refused).toEqual(['b'])
  } finally {
    vi.useRealTimers()
  }
  const queue = fairQueue({ concurrency: 1, concurrencyOfOne: 1, maxWaiting: 1, maxWait: 1_000, refusal: 'too many' })
  await expect(queue.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await queue.run('a', async () => 'next')).toBe('next')
})

test('when the database does not answer one game, those who wait are told so, of whichever game', async () => {
  const queue = fairQueue({ concurrencyOfOne: 1, maxWaitingOfOne: 10, maxWait: 60_000 })
  const away = new Refusal('unavailable', 'gone', { away: true })
  const first = Promise.withResolvers<never>()
  const slow = Promise.withResolvers<string>()
  const failing = queue.run(1, () => first.promise)
  const going = queue.run(2, () => slow.promise)
  const waiting = [1, 2].map((game) => queue.run(game, () => Promise.resolve('done')))
  first.reject(away)
  for (const one of [failing, ...waiting]) await expect(one).rejects.toBe(away)
  slow.resolve('done')
  expect(await going).toBe('done')
  expect(await queue.run(2, () => Promise.resolve('done'))).toBe('done')
})

test('what fails otherwise is the matter of one request', async () => {
  const queue = fairQueue({ concurrencyOfOne: 1, maxWaitingOfOne: 10, maxWait: 60_000 })
  const failing = queue.run(1, () => Promise.reject(new Refusal('unavailable', 'busy')))
  const waiting = queue.run(1, () => Promise.resolve('done'))
  await expect(failing).rejects.toThrow('busy')
  expect(await waiting).toBe('done')
})
