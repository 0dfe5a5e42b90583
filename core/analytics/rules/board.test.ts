import { expect, test } from 'vitest'
import { boardOf } from './board.ts'
import { playedBy } from './learner-levels.ts'

const minute = 60e6
const lesson = Date.UTC(2026, 0, 5, 8) * 1000

/** What happened at a level: minute, verb, and what the result says. */
type Step = [minute: number, level: string, verb: string, result?: object]
const at = 'https://g.example/'

const playedIn = (steps: readonly Step[]) =>
  playedBy(
    steps.map(([minutes, level, verb, result]) => ({
      stored: lesson + minutes * minute,
      statement: {
        actor: { objectType: 'Agent' },
        verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` },
        object: { id: at + level },
        ...(result && { result }),
      } as never,
    })),
    'b2a1',
    null,
  )

/** A board at a minute of one pupil who is here: its cells in short, and where it is stuck for how many seconds. */
const shown = (now: number, steps: readonly Step[], here = true) => {
  const { levels, rows } = boardOf([{ played: playedIn(steps), here }], lesson + now * minute)
  const [{ cells, stuckAt, stuckSeconds }] = rows as [(typeof rows)[0]]
  const words = cells.map((cell, n) =>
    [
      levels[n]!.activityId.slice(at.length),
      cell.tries,
      ...(['passed', 'failed', 'completed', 'done', 'now'] as const).filter((name) => cell[name]),
    ].join(' '),
  )
  return stuckAt === undefined ? words : [...words, `stuck at ${stuckAt} for ${stuckSeconds}`]
}
const tries = (level: string, ...ends: [number, string, object?][]): Step[] =>
  ends.flatMap(([minutes, verb, result]): Step[] => [
    [minutes - 0.4, level, 'initialized'],
    [minutes, level, verb, result],
  ])

test.each<[what: string, now: number, steps: Step[], expected: string[], here?: boolean]>([
  ['nothing was begun', 9, [], []],
  ['a level goes on', 1, [[0, 'a', 'initialized']], ['a 1 now']],
  ['a level goes on for 4 minutes', 5, [[0, 'a', 'initialized']], ['a 1 now', 'stuck at 0 for 60']],
  ['who is not here is not stuck', 5, [[0, 'a', 'initialized']], ['a 1'], false],
  ['passed', 9, tries('a', [1, 'passed']), ['a 1 passed completed done now']],
  ['completed, without a word on success', 9, tries('a', [1, 'completed']), ['a 1 completed done now']],
  ['completed with too few points', 2, tries('a', [1, 'completed', { success: false }]), ['a 1 failed completed now']],
  ['two failed tries', 3, tries('a', [1, 'failed'], [2, 'failed']), ['a 2 failed now']],
  ['three', 3.5, tries('a', [1, 'failed'], [2, 'failed'], [3, 'failed']), ['a 3 failed now', 'stuck at 0 for 30']],
  [
    'tries without an end count when the next one begins',
    3,
    tries('a', [1, 'progressed'], [2, 'exited'], [2.5, 'failed']),
    ['a 3 failed now', 'stuck at 0 for 30'],
  ],
  ['three left ones', 3, tries('a', [1, 'exited'], [2, 'exited'], [2.5, 'exited']), ['a 3 now', 'stuck at 0 for 30']],
  [
    'a passed one after three failed ones',
    9,
    tries('a', [1, 'failed'], [2, 'failed'], [3, 'failed'], [4, 'passed']),
    ['a 4 passed completed done now'],
  ],
  ['a failed one after a passed one', 9, tries('a', [1, 'passed'], [2, 'failed']), ['a 2 passed completed done now']],
  [
    'who has gone on is not stuck at the level before',
    9,
    [...tries('a', [1, 'failed'], [2, 'failed'], [3, 'failed']), [8, 'b', 'initialized']],
    ['a 3 failed', 'b 1 now'],
  ],
  [
    'who has come back is stuck again, since the 4 minutes were over',
    9,
    [...tries('a', [1, 'failed']), ...tries('b', [2, 'passed']), [8, 'a', 'initialized']],
    ['a 2 failed now', 'b 1 passed completed done', 'stuck at 0 for 264'],
  ],
])('%s', (_, now, steps, expected, here) => {
  expect(shown(now, steps, here)).toEqual(expected)
})

test('levels are in the order in which anybody began them, without what contains others', () => {
  const [ann, ben] = [playedIn([[3, 'b', 'initialized']]), playedIn([...tries('a', [2, 'passed']), [4, 'b', 'passed']])]
  const game = ben.map((one) => ({ ...one, activityId: `${at}game`, wholeGame: true }))
  const { levels, rows } = boardOf(
    [
      { played: [...ann, { ...game[0]!, wholeGame: false }], here: true },
      { played: [...game, ...ben], here: true },
    ],
    lesson + 4 * minute,
  )
  expect(levels.map(({ activityId }) => activityId)).toEqual([`${at}a`, `${at}b`])
  expect(rows.map(({ cells }) => cells.map(({ tries }) => tries))).toEqual([
    [0, 1],
    [1, 1],
  ])
})
