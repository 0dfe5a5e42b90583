import { expect, test } from 'vitest'
import type { Batch, Outcome } from '../store/cell/write-statements.ts'
import { ingest } from './ingest.ts'

const batchOf = (game: number, bytes = 10) =>
  ({
    game,
    credential: 1,
    credentialVersion: 1,
    prepared: {
      statements: [{ id: 'x', length: bytes, terms: [] }],
      bodies: Buffer.alloc(bytes),
      ids: ['x'],
      activities: [],
      agents: [],
    },
  }) as unknown as Batch

/** An ingest of groups of one, whose store answers when it is told to, and whose clock stands still. */
function stuck() {
  const clock = { now: 0 }
  let answer: (() => void) | undefined
  const store = () => new Promise<Outcome[]>((done) => (answer = () => done([{ stored: [1], skipped: 0 }])))
  const queue = ingest(
    store,
    { groupSize: 1, maxWaitingBytes: 1_000, maxWaitingBytesOfGame: 500, closesAfter: 2_000 },
    () => clock.now,
  )
  const outcome = (game: number, bytes?: number) =>
    queue.store(batchOf(game, bytes)).then(
      () => 'stored',
      (error: Error) => error.message,
    )
  return {
    clock,
    outcome,
    goOn: async () => {
      answer?.()
      await new Promise((done) => setImmediate(done))
    },
  }
}

const soon = <T>(outcome: Promise<T>) =>
  Promise.race([outcome, new Promise<string>((done) => setImmediate(done, 'waits'))])

test('what would wait too long is refused at once, and what waits is stored', async () => {
  const { clock, outcome, goOn } = stuck()
  const [first, second] = [outcome(1), outcome(1)]
  expect(await soon(first)).toBe('waits')
  clock.now = 1_900
  const third = outcome(1)
  expect(await soon(third)).toBe('waits')
  clock.now = 2_100
  expect(await soon(outcome(1))).toMatch('more to write')
  await goOn()
  expect(await soon(first)).toBe('stored')
  // the second is under way: what waits now is younger
  const fourth = outcome(1)
  expect(await soon(fourth)).toBe('waits')
  for (const one of [second, third, fourth]) {
    await goOn()
    expect(await one).toBe('stored')
  }
})

test('a game that sends much has others refused only when its turn does not come', async () => {
  const { clock, outcome, goOn } = stuck()
  const many = [outcome(1), outcome(1), outcome(1)]
  await soon(many[0]!)
  clock.now = 1_500
  await goOn()
  clock.now = 2_500
  expect(await soon(outcome(1))).toMatch('more to write')
  const other = outcome(2)
  expect(await soon(other)).toBe('waits')
  clock.now = 5_000
  expect(await soon(outcome(3))).toMatch('more to write')
  for (const one of [...many, other]) {
    await goOn()
    expect(await one).toBe('stored')
  }
})

test('what waits is bounded by bytes, of a game and of all', async () => {
  const { outcome } = stuck()
  void outcome(1, 400)
  await soon(Promise.resolve())
  expect(await soon(outcome(1, 500))).toBe('waits')
  expect(await soon(outcome(1, 10))).toMatch('more to write')
  expect(await soon(outcome(2, 499))).toBe('waits')
  expect(await soon(outcome(3, 10))).toMatch('more to write')
})

test('what is stored and not yet told is bounded for each game, in entries and in bytes', async () => {
  const tell: (() => void)[] = []
  const store = async (group: readonly Batch[]): Promise<Outcome[]> =>
    group.map(() => ({ stored: [1], skipped: 0, told: new Promise<void>((done) => tell.push(done)) }))
  const queue = ingest(store, {
    groupSize: 1,
    maxWaitingBytes: 5_000,
    maxWaitingBytesOfGame: 1_000,
    closesAfter: 2_000,
  })
  const names = (count: number) => {
    const batch = batchOf(1)
    batch.prepared.agents.push(...Array.from({ length: count }, () => ({}) as never))
    return batch
  }
  // more than a game may have, at once: it has none yet
  const first = queue.store(names(4))
  await expect.poll(() => tell.length).toBe(1)
  expect(() => queue.expectRoom(1, 1)).toThrow('more to write')
  await expect(queue.store(batchOf(1))).rejects.toThrow('more to write')
  queue.expectRoom(2, 1)
  const other = queue.store(batchOf(2))
  await expect.poll(() => tell.length).toBe(2)
  for (const done of tell.splice(0)) done()
  await Promise.all([first, other])
  const large: Promise<Outcome>[] = []
  for (const sent of [1, 2]) {
    large.push(queue.store(batchOf(1, 600)))
    await expect.poll(() => tell.length).toBe(sent)
  }
  expect(() => queue.expectRoom(1, 1)).toThrow('more to write')
  for (const done of tell.splice(0)) done()
  await Promise.all(large)
  queue.expectRoom(1, 1)
})

test('a batch with too many links for its group is tried alone; refused, it stays refused for a minute', async () => {
  const clock = { now: 0 }
  const asked: number[] = []
  const store = async (group: readonly Batch[]): Promise<Outcome[]> => {
    asked.push(group.length)
    return group.map(({ game }, index) => (game === 1 || index > 1 ? 'overlinked' : { stored: [1], skipped: 0 }))
  }
  const queue = ingest(
    store,
    { groupSize: 10, maxWaitingBytes: 1_000, maxWaitingBytesOfGame: 500, closesAfter: 2_000 },
    () => clock.now,
  )
  const stored = { stored: [1], skipped: 0 }
  const all = [batchOf(2), batchOf(3), batchOf(4), batchOf(1)]
  expect(await Promise.all(all.map((batch) => queue.store(batch)))).toEqual([stored, stored, stored, 'overlinked'])
  const before = asked.length
  expect(await queue.store(batchOf(1))).toBe('overlinked')
  expect(asked).toHaveLength(before)
  clock.now = 60_001
  expect(await queue.store(batchOf(1))).toBe('overlinked')
  expect(asked).toHaveLength(before + 1)
})
