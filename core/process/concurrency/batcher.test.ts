import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Refusal } from '../refusal.ts'
import { batcher, type BatcherOptions } from './batcher.ts'

interface Call {
  game: number
  name: string
}

/** Calls that wait to be let through; `groups` are the names of those that went together. */
function batching(options: Partial<BatcherOptions<Call>> = {}, fail: (names: string[]) => unknown = () => undefined) {
  const groups: string[][] = []
  const ends: (() => void)[] = []
  const perform = vi.fn(async (calls: readonly Call[]) => {
    const names = calls.map(({ name }) => name)
    groups.push(names)
    await new Promise<void>((resolve) => ends.push(resolve))
    const error = fail(names)
    if (error) throw error
    return names.map((name) => `answer to ${name}`)
  })
  const { call: send, idle } = batcher(perform, {
    maxWeight: 10,
    concurrency: 1,
    maxWaiting: 100,
    maxWait: 60_000,
    ...options,
  })
  const call = (name: string, game = 1, bytes?: number) => {
    const answer = send({ game, name }, bytes)
    answer.catch(() => {})
    return answer
  }
  const pass = async () => {
    await turn()
    ends.shift()!()
    await turn()
  }
  return { call, pass, groups, idle }
}

test('those of one turn go together, those that come later in the next group, each with its own answer', async () => {
  const { call, pass, groups } = batching()
  const answers = [call('a'), call('b')]
  await turn()
  answers.push(call('c'), call('d'))
  await pass()
  await pass()
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd'].map((name) => `answer to ${name}`))
  expect(groups).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
})

test('a game that asks for much waits for itself', async () => {
  const { call, pass, groups } = batching({ maxWeight: 3 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) void call(name, 1)
  void call('b1', 2)
  await pass()
  await pass()
  expect(groups).toEqual([
    ['a1', 'b1', 'a2'],
    ['a3', 'a4'],
  ])
})

test('the next group begins ahead of the end of the first when it is full', async () => {
  const { call, pass, groups } = batching({ maxWeight: 2, ahead: 1 })
  void call('a')
  await turn()
  void call('b')
  await turn()
  expect(groups).toEqual([['a']])
  for (const name of ['c', 'd', 'e', 'f']) void call(name)
  await turn()
  expect(groups).toEqual([['a'], ['b', 'c']])
  await pass()
  expect(groups).toEqual([['a'], ['b', 'c'], ['d', 'e']])
  await pass()
  await pass()
  await pass()
  expect(groups.at(-1)).toEqual(['f'])
})

test('a group ends with the call that passes its bytes', async () => {
  const { call, pass, groups } = batching({ maxBytes: 10 })
  for (const name of ['a', 'b', 'c']) void call(name, 1, 6)
  await pass()
  await pass()
  expect(groups).toEqual([['a', 'b'], ['c']])
})

test('one that fails takes no others with it', async () => {
  const { call, pass, groups } = batching({}, (names) => names.includes('bad') && new Error('no'))
  const [good, bad] = [call('good'), call('bad')]
  for (let group = 0; group < 3; group++) await pass()
  expect(await good).toBe('answer to good')
  await expect(bad).rejects.toThrow('no')
  expect(groups).toEqual([['good', 'bad'], ['good'], ['bad']])
})

test('when the database is away, those that wait are told too', async () => {
  const { call, pass, groups } = batching({ maxWeight: 1 }, () => new Refusal('unavailable', 'away', { away: true }))
  const answers = [call('a'), call('b', 2)]
  await pass()
  for (const answer of answers) await expect(answer).rejects.toThrow('away')
  expect(groups).toEqual([['a']])
})

test('nobody waits without end, and no more than may wait', async () => {
  const { call, pass } = batching({ maxWaiting: 2, maxWait: 40 })
  const first = call('a')
  await turn()
  const [waits] = [call('b'), call('c')]
  await expect(call('d')).rejects.toThrow(Refusal)
  await sleep(80)
  await expect(waits).rejects.toThrow(Refusal)
  await pass()
  expect(await first).toBe('answer to a')
})

test('bytes of all games are bounded', async () => {
  const { call, pass } = batching({ maxWaitingBytes: 10 })
  const first = call('a', 1, 8)
  await expect(call('b', 2, 8)).rejects.toThrow(Refusal)
  await pass()
  expect(await first).toBe('answer to a')
})

const heavy = { maxWeight: 5, weightOf: ({ name }: Call) => name.length }

test('calls may weigh more than others; one that is heavier than a group is a group by itself', async () => {
  const { call, pass, groups } = batching(heavy)
  for (const name of ['aa', 'bb', 'cc', 'd', 'eeeeeeeee', 'f']) void call(name)
  for (let group = 0; group < 4; group++) await pass()
  expect(groups).toEqual([['aa', 'bb'], ['cc', 'd'], ['eeeeeeeee'], ['f']])
})

test('a game whose calls are heavy waits behind all others, also behind those that come later', async () => {
  const { call, pass, groups } = batching({ ...heavy, ahead: 1 })
  for (const name of ['aaaaaaaa', 'AAAAAAAA', 'Aaaaaaaa']) void call(name, 1)
  await turn()
  for (const name of ['b', 'c', 'd']) {
    void call(name, 2)
    await pass()
  }
  for (let group = 0; group < 2; group++) await pass()
  // no heavy call is under way beside another one
  expect(groups).toEqual([['aaaaaaaa'], ['b'], ['c'], ['d'], ['AAAAAAAA'], ['Aaaaaaaa']])
})

test('a game that waits for its share does not close the store for others', async () => {
  const clock = { now: 0 }
  const { call: send } = batcher<Call, string>(
    async (calls) => {
      clock.now += 1_500
      await turn()
      return calls.map(({ name }) => name)
    },
    { ...heavy, concurrency: 1, closesAfter: 2_000 },
    () => clock.now,
  )
  const waits = ['aaaaaaaa', 'AAAAAAAA', 'Aaaaaaaa'].map((name) => send({ game: 1, name }))
  for (let n = 0; n < 5; n++) expect(await send({ game: 2, name: 'b' })).toBe('b')
  expect(await Promise.all(waits)).toHaveLength(3)
})

test('it is idle when nothing waits and nothing is under way', async () => {
  const { call, pass, idle } = batching({ maxWeight: 1, concurrency: 2 })
  await idle()
  const answers = ['a', 'b', 'c'].map((name) => call(name))
  let ended = false
  void idle().then(() => (ended = true))
  for (let group = 0; group < 3; group++) {
    expect(ended).toBe(false)
    await pass()
  }
  expect(ended).toBe(true)
  await Promise.all(answers)
})
