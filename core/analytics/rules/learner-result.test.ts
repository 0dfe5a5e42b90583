import { expect, test } from 'vitest'
import { learnerResult, type LearnerStatement } from './learner-result.ts'

const one = (seconds: number, of: Partial<LearnerStatement>, body?: object): LearnerStatement => ({
  stored: seconds * 1e6,
  registration: 'r1',
  activity: 'level 1',
  body: body ? JSON.stringify(body) : null,
  ...of,
})
const verb = (name: string) => ({ id: `http://adlnet.gov/expapi/verbs/${name}` })

test('levels are counted once, the game itself is none, an answer ends no attempt', () => {
  const completed = (scaled: number) => ({ verb: verb('completed'), result: { score: { scaled } } })
  const statements = [
    one(100, {}),
    one(110, { activity: 'question' }, { verb: verb('answered'), result: { success: true, score: { scaled: 1 } } }),
    one(130, {}, completed(0.5)),
    one(1_000, { registration: 'r2' }, completed(0.75)),
    one(1_010, { registration: 'r2', activity: 'level 2' }, { verb: verb('completed'), result: { completion: false } }),
    one(1_020, { registration: 'r2', activity: 'level 3' }, { verb: { id: 'x:y' }, result: { completion: true } }),
    one(1_025, { registration: 'r2', activity: 'the game' }, completed(0.1)),
    one(1_030, { registration: null, activity: 'level 4' }, { verb: verb('failed') }),
  ]
  const result = { statements: 8, completed: 2, bestScore: 0.75, seconds: 55, lastSeen: 1_030 }
  expect(learnerResult(statements, 'the game')).toEqual(result)
  expect(learnerResult(statements.toReversed(), 'the game')).toEqual(result)
})

test('a learner who did nothing has no score', () => {
  expect(learnerResult([], 'the game')).toEqual({ statements: 0, completed: 0, seconds: 0, lastSeen: 0 })
})
