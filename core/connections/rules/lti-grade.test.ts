import { expect, test } from 'vitest'
import { playedBy } from '../../analytics/rules/learner-levels.ts'
import type { Statement } from '../../records/xapi/types.ts'
import {
  graded,
  isFinal,
  isTaken,
  itemIn,
  itemsOf,
  scopes,
  scoreMessage,
  scoreOfSession,
  scoresOf,
} from './lti-grade.ts'

const verb = (name: string) => `http://adlnet.gov/expapi/verbs/${name}`
const level = 'https://g.example/level/1'
const game = 'https://lrs.example/games/g1'
type Said = [verb: string, scaled?: number, object?: string]

/** A session of these, one second after the other. */
const session = (said: readonly Said[]) =>
  playedBy(
    said.map(([name, scaled, id = level], at) => ({
      stored: (1_800_000_000 + at) * 1e6,
      statement: {
        verb: { id: verb(name) },
        object: { id },
        timestamp: new Date((1_800_000_000 + at) * 1000).toISOString(),
        ...(scaled !== undefined && { result: { score: { scaled } } }),
      } as Statement,
    })),
    'g1',
    null,
  )

test.each<[what: string, said: Said[], first?: number, best?: number, last?: number]>([
  ['nothing', []],
  ['a start', [['initialized']]],
  ['another level', [['passed', 0.5, 'https://g.example/level/2']]],
  ['passed without a score', [['passed']], 1, 1, 1],
  ['failed without a score', [['failed']], 0, 0, 0],
  ['completed without a word on success', [['completed']], 1, 1, 1],
  ['failed with a score', [['failed', 0.3]], 0.3, 0.3, 0.3],
  ['a score below 0', [['failed', -0.5]], 0, 0, 0],
  ['completed, then passed with a score', [['completed'], ['passed', 0.8]], 0.8, 0.8, 0.8],
  ['three tries', [['failed', 0.4], ['attempted'], ['passed', 0.9], ['attempted'], ['failed', 0.6]], 0.4, 0.9, 0.6],
  ['a try that was left', [['passed', 0.7], ['attempted'], ['terminated']], 0.7, 0.7, 0.7],
  ['the game, and not its level', [['passed', 0.2, game]]],
])('%s', (_, said, first, best, last) => {
  const scores = (['first', 'best', 'last'] as const).map((grading) =>
    scoreOfSession(session(said), { level, grading }),
  )
  expect(scores).toEqual([first, best, last])
})

test('without a level the game as a whole counts', () => {
  const played = session([
    ['passed', 0.2, game],
    ['passed', 0.9],
  ])
  expect(scoreOfSession(played, { level: '', grading: 'best' })).toBe(0.2)
})

test.each([
  ['first', 0.4],
  ['best', 0.9],
  ['last', 0.6],
] as const)('of sessions, the %s counts', (grading, score) => {
  expect(graded(grading, [0.4, 0.9, 0.6])).toBe(score)
  expect(graded(grading, [])).toBeUndefined()
})

test('addresses keep their query', () => {
  expect(scoresOf('https://lms.example/i/1/lineitem?type_id=3')).toBe(
    'https://lms.example/i/1/lineitem/scores?type_id=3',
  )
  expect(itemsOf('https://lms.example/i?type_id=3', 'r 1')).toBe('https://lms.example/i?type_id=3&resource_link_id=r+1')
})

test('a score is told in hundredths, with all that the specification asks for', () =>
  expect(scoreMessage('u1', 0.83333, '2026-01-01T00:00:00.000001Z')).toEqual({
    userId: 'u1',
    scoreGiven: 83.33,
    scoreMaximum: 100,
    activityProgress: 'Completed',
    gradingProgress: 'FullyGraded',
    timestamp: '2026-01-01T00:00:00.000001Z',
  }))

test.each<[unknown, string]>([
  [
    [
      { id: 'https://lms.example/i/2', resourceLinkId: 'r2' },
      { id: 'https://lms.example/i/1', resourceLinkId: 'r1' },
    ],
    'https://lms.example/i/1',
  ],
  [{ id: 'https://lms.example/i/1', resourceLinkId: 'r1' }, 'https://lms.example/i/1'],
  [[{ id: 'https://lms.example/i/2' }], ''],
  [[{ id: 'file:///etc/passwd', resourceLinkId: 'r1' }], ''],
  [[null, 1, 'x'], ''],
  [undefined, ''],
])('the line item in %j', (answer, address) => expect(itemIn(answer, 'r1')).toBe(address))

test.each([
  [{ lineItem: 'i', lineItems: '', scopes: [scopes.score] }, true],
  [{ lineItem: 'i', lineItems: 'is', scopes: [scopes.lineItem] }, false],
  [{ lineItem: '', lineItems: 'is', scopes: [scopes.score] }, false],
  [{ lineItem: '', lineItems: 'is', scopes: [scopes.score, scopes.lineItem] }, true],
  [{ lineItem: '', lineItems: '', scopes: [scopes.score, scopes.lineItem] }, false],
])('%j takes grades: %s', (of, taken) => expect(isTaken(of)).toBe(taken))

test('a refusal is final where time does not help', () =>
  expect([400, 401, 403, 404, 408, 409, 422, 429, 500, 503].filter(isFinal)).toEqual([400, 403, 404, 422]))
