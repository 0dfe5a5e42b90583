import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { GetAnswersResponseSchema, type LevelAnswerSchema } from '../../../gen/lrs/v1/answers_pb.js'
import { trendOf } from '../parts/trend.ts'
import { compared, verdict } from './overview-cards.ts'

type Level = MessageInitShape<typeof LevelAnswerSchema>
const level = (activityId: string, attempts: number, passed: number, more: Level = {}): Level => ({
  activityId,
  attempts: BigInt(attempts),
  passed: BigInt(passed),
  failed: BigInt(attempts - passed),
  ...more,
})
const answers = (...levels: Level[]) => create(GetAnswersResponseSchema, { levels: { levels } })
const name = ({ activityId }: { activityId: string }) => activityId

test.each<[string, Level[], Level[], string]>([
  [
    'better',
    [level('a', 100, 41), level('b', 100, 90)],
    [level('a', 100, 65), level('b', 100, 89)],
    'Yes, at a. No level is worse.',
  ],
  ['worse', [level('a', 100, 65)], [level('a', 100, 41)], 'No: a is worse.'],
  [
    'both',
    [level('a', 99, 33), level('b', 99, 66)],
    [level('a', 99, 66), level('b', 99, 33)],
    'Better at a, worse at b.',
  ],
  ['chance', [level('a', 4, 1)], [level('a', 4, 3)], 'Not yet known: each difference could be chance.'],
  ['apart', [level('a', 4, 1)], [level('b', 4, 3)], 'Both builds have no level in common.'],
  [
    'the game itself',
    [level('a', 99, 9, { wholeGame: true })],
    [level('a', 99, 90, { wholeGame: true })],
    'Both builds have no level in common.',
  ],
  ['unplayed', [level('a', 0, 0)], [level('a', 9, 9)], 'Both builds have no level in common.'],
])('the verdict on a new build: %s', (_name, before, now, expected) => {
  expect(verdict(compared(answers(...before), answers(...now)), name)).toBe(expected)
})

test('levels that pass and fail nothing are compared by what is completed', () => {
  const of = (completed: bigint) => answers(level('a', 100, 0, { failed: 0n, completed }))
  expect(compared(of(20n), of(80n))[0]!.change).toBeCloseTo(0.6)
})

test.each([
  [120, 100, '▲ 20 % more than in 30 days before'],
  [50, 100, '▼ 50 % fewer than in 30 days before'],
  [1000, 1001, 'as before'],
  [5, 0, ''],
])('%i after %i: %s', (now, before, expected) => {
  const trend = trendOf(now, before, '30 days')
  expect((trend ? trend.text : '').replaceAll(/<[^>]*>/g, '')).toBe(expected)
})
