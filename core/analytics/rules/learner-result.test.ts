import { expect, test } from 'vitest'
import { learnerResult, type LearnerStatement } from './learner-result.ts'

const gameId = '0f3c9b1e-2d5f-4e44-8a8e-0c1b2a3d4e5f'
const hour = 3_600
const began = Date.UTC(2026, 10, 20, 9) / 1000
const verb = (name: string) => ({ id: `http://adlnet.gov/expapi/verbs/${name}` })
const timeOf = (seconds: number) => new Date((began + seconds) * 1000).toISOString()
/** Sent ten hours later, as from a device that was offline. */
const one = (seconds: number, registration: string | null, said?: object, of?: string): LearnerStatement => ({
  stored: (began + 10 * hour + seconds) * 1e6,
  timestamp: timeOf(seconds),
  registration,
  body: said
    ? JSON.stringify({ object: { id: of ?? 'x:1' }, timestamp: timeOf(seconds), context: { registration }, ...said })
    : null,
  cut: false,
})

test('levels are counted once, the game itself is none; times are those of the timestamps', () => {
  const completed = (scaled: number, success?: boolean) => ({
    verb: verb('completed'),
    result: { score: { scaled }, success },
  })
  const statements = [
    one(100, 'r1'),
    one(110, 'r1', { verb: verb('answered'), result: { success: true, score: { scaled: 1 } } }, 'x:question'),
    one(130, 'r1', completed(0.5, false)),
    one(1_000, 'r2', completed(0.75, true)),
    one(1_010, 'r2', completed(0.2, false), 'x:2'),
    one(1_015, 'r2', completed(0.1, false), 'x:3'),
    one(1_020, 'r2', { verb: verb('initialized') }, 'x:4'),
    one(1_025, 'r2', completed(0.9), `https://lrs.example/games/${gameId}`),
    one(1_030, null, { verb: { id: 'x:y' }, result: { completion: true } }, 'x:5'),
  ]
  const result = {
    statements: 9,
    attempts: 6,
    completed: 4,
    passed: 1,
    failed: 2,
    abandoned: 1,
    bestScore: 0.9,
    seconds: 55,
    lastSeen: began + 1_030,
  }
  expect(learnerResult(statements, gameId, null)).toEqual(result)
  expect(learnerResult(statements.toReversed(), gameId, null)).toEqual(result)
})

test('sessions above 24 hours, and statements without a timestamp that can be, have no length', () => {
  const [first, last] = [one(0, 'r1'), one(9 * hour, 'r1')]
  expect(learnerResult([first, last], gameId, null)).toMatchObject({ seconds: 9 * hour })
  expect(
    learnerResult(
      [first, { ...last, stored: last.stored + 1e6 * 25 * hour, timestamp: timeOf(25 * hour) }],
      gameId,
      null,
    ),
  ).toMatchObject({
    seconds: 0,
  })
  // later than its arrival
  expect(learnerResult([one(0, null), { ...last, timestamp: timeOf(99 * hour) }], gameId, null)).toMatchObject({
    lastSeen: began + 19 * hour,
  })
})

test('a learner who did nothing has no score', () => {
  const none = { statements: 0, attempts: 0, completed: 0, passed: 0, failed: 0, abandoned: 0, seconds: 0, lastSeen: 0 }
  expect(learnerResult([], gameId, null)).toEqual(none)
})
