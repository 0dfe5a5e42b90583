import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { GetAnswersResponseSchema, type LevelAnswerSchema } from '../../../gen/lrs/v1/answers_pb.js'
import { changesOf, verdict } from './changes.ts'

type Level = MessageInitShape<typeof LevelAnswerSchema>
/** A level whose first tries pass or fail. */
const level = (activityId: string, tries: number, passed: number, more: Level = {}): Level => ({
  activityId,
  attempts: BigInt(tries * 2),
  passed: BigInt(passed),
  failed: BigInt(tries * 2 - passed),
  firstTries: BigInt(tries),
  firstPassed: BigInt(passed),
  firstFailed: BigInt(tries - passed),
  ...more,
})
const answers = (...levels: Level[]) => create(GetAnswersResponseSchema, { levels: { levels } })
const name = ({ activityId }: { activityId: string }) => activityId

const better = '65 % pass a at the first try; before, 41 % did. The difference is between 10 and 37 points.'
const game = { wholeGame: true }
test.each<[string, Level[], Level[], string]>([
  [
    'better',
    [level('a', 100, 41), level('b', 100, 90)],
    [level('a', 100, 65), level('b', 100, 89)],
    `Build 7 is better: ${better}`,
  ],
  [
    'two better',
    [level('a', 100, 41), level('b', 100, 10)],
    [level('a', 100, 65), level('b', 100, 30)],
    `Build 7 is better: ${better} 1 more level is better.`,
  ],
  [
    'worse',
    [level('a', 100, 65)],
    [level('a', 100, 41)],
    'Build 7 is worse: 41 % pass a at the first try; before, 65 % did. The difference is between 10 and 37 points.',
  ],
  [
    'both',
    [level('a', 99, 33), level('b', 99, 66)],
    [level('a', 99, 66), level('b', 99, 33)],
    'Build 7 is better at a (67 % pass; before, 33 % did), and worse at b (33 % pass; before, 67 % did). These are first tries.',
  ],
  [
    'chance',
    [level('a', 100, 41)],
    [level('a', 50, 28)],
    'Not yet certain: 56 % pass a at the first try; before, 41 % did. This could be chance; with 24 more players ' +
      'of Build 7 at this level it would be certain.',
  ],
  [
    'too few before',
    [level('a', 4, 1)],
    [level('a', 4, 2)],
    'Not yet certain: 50 % pass a at the first try; before, 25 % did. This could be chance: too few players of the ' +
      'other one tried it.',
  ],
  ['equal', [level('a', 4, 2)], [level('a', 8, 4)], 'No difference: 50 % pass a at the first try, as before.'],
  ['apart', [level('a', 4, 1)], [level('b', 4, 3)], 'The two have no level in common.'],
  ['the game itself', [level('a', 99, 9, game)], [level('a', 99, 90, game)], 'The two have no level in common.'],
  ['unplayed', [level('a', 0, 0)], [level('a', 9, 9)], 'The two have no level in common.'],
])('the verdict on a new build: %s', (_name, before, now, expected) => {
  expect(verdict(changesOf(answers(...before), answers(...now)), 'Build 7', name)).toBe(expected)
})

test('levels that pass and fail nothing are compared by what is completed; later tries are all but the first', () => {
  const of = (completed: bigint) =>
    answers(level('a', 100, 0, { failed: 0n, completed, firstCompleted: completed - 10n }))
  expect(changesOf(of(20n), of(80n))).toMatchObject([
    { goal: 'complete', before: { part: 10, whole: 100 }, now: { part: 70 } },
  ])
  expect(changesOf(of(20n), of(80n), 'later')).toMatchObject([{ before: { part: 10, whole: 100 }, now: { part: 10 } }])
})

test('a certain change comes before a larger one that could be chance', () => {
  const before = answers(level('few', 2, 0), level('many', 900, 300))
  const now = answers(level('few', 2, 2), level('many', 900, 600))
  expect(changesOf(before, now).map(({ level, isCertain }) => [level.activityId, isCertain])).toEqual([
    ['many', true],
    ['few', false],
  ])
})
