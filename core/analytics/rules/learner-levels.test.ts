import { expect, test } from 'vitest'
import type { Statement } from '../../records/xapi/types.ts'
import { levelsOf, playedBy, type Said } from './learner-levels.ts'

const adl = 'http://adlnet.gov/expapi/verbs/'
const gameId = '0f3c9b1e-2d5f-4e44-8a8e-0c1b2a3d4e5f'
const began = Date.UTC(2026, 10, 20, 9)
const parent = (id: string) => ({ context: { contextActivities: { parent: [{ id }] } } })
let second = 0
const said = (verb: string, level: number | string = 1, more: object = {}, registration = 'r'): Said => {
  const at = began + ++second * 1000
  const statement = {
    verb: { id: verb.includes(':') ? verb : adl + verb },
    object: { id: `https://g.example/${level}`, definition: { name: { en: `Level ${level}` } } },
    context: { registration },
    timestamp: new Date(at).toISOString(),
    ...more,
  }
  return { stored: at * 1000, statement: statement as unknown as Statement }
}
const of = (said: readonly Said[]) => levelsOf(playedBy(said, gameId, null))
const score = (scaled: number, duration?: string) => ({ result: { score: { scaled }, duration } })

test('each level by itself, the last played first; passed, failed, completed and abandoned apart', () => {
  const levels = of([
    said('initialized'),
    said('completed', 1, { result: { success: false, score: { scaled: 0.8 }, duration: 'PT1M2.5S' } }),
    said('https://w3id.org/xapi/seriousgames/verbs/completed', 2),
    said('passed', 2),
    said('initialized', 1, {}, 's'),
    said('completed', 1, score(0.4, 'P1DT1H'), 's'),
    said('initialized', 1, {}, 's'),
  ])
  const none = { completed: 0, passed: 0, failed: 0, abandoned: 0, done: 1 }
  expect(levels).toEqual([
    {
      ...none,
      activityId: 'https://g.example/1',
      name: '{"en":"Level 1"}',
      attempts: 3,
      completed: 2,
      failed: 1,
      abandoned: 1,
      best: 0.8,
      lastScore: 0.4,
      seconds: 62.5,
      firstSeen: (began + (second - 6) * 1000) * 1000,
      last: (began + second * 1000) * 1000,
    },
    {
      ...none,
      activityId: 'https://g.example/2',
      name: '{"en":"Level 2"}',
      attempts: 1,
      completed: 1,
      passed: 1,
      seconds: 0,
      firstSeen: (began + (second - 4) * 1000) * 1000,
      last: (began + (second - 3) * 1000) * 1000,
    },
  ])
})

test('statements that arrive in another order are the same attempts', () => {
  const list = [said('initialized'), said('failed', 1, score(0.1)), said('initialized'), said('passed', 1, score(0.9))]
  const late = list.map((_, n) => ({ ...list[n]!, stored: (began + (second + 9 - n) * 1000) * 1000 }))
  expect(of(late.toReversed())).toEqual(of(list))
  expect(of(list)).toMatchObject([{ attempts: 2, passed: 1, failed: 1, best: 0.9, lastScore: 0.9, seconds: 2 }])
})

test.each<[string, ...Said[]]>([
  ['by its IRI', said('completed', `games/${gameId}`)],
  [
    'by its type',
    said('completed', 9, { object: { id: 'x:9', definition: { type: 'http://activitystrea.ms/schema/1.0/game' } } }),
  ],
  [
    'by the level that names it as its parent',
    said('completed', 9),
    said('completed', 1, parent('https://g.example/9')),
  ],
])('the game itself is no level, %s', (_, ...list) => {
  expect(playedBy(list, gameId, null).filter(({ wholeGame }) => wholeGame)).toHaveLength(1)
  expect(of(list)).toHaveLength(list.length - 1)
})

test('questions, other objects and other verbs are no levels', () => {
  const question = { object: { id: 'q', definition: { type: 'http://adlnet.gov/expapi/activities/cmi.interaction' } } }
  const person = { object: { objectType: 'Agent', mbox: 'mailto:ann@games.example' } }
  expect(of([said('completed', 1, question), said('completed', 1, person), said('answered')])).toEqual([])
})
