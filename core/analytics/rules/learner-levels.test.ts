import { expect, test } from 'vitest'
import { levelsOf } from './learner-levels.ts'

const adl = 'http://adlnet.gov/expapi/verbs/'
let stored = 0
const said = (verb: string, level = 1, more: object = {}, registration = 'r', voided = false) => ({
  stored: ++stored,
  voided,
  body: JSON.stringify({
    verb: { id: verb.includes(':') ? verb : adl + verb },
    object: { id: `https://g.example/${level}`, definition: { name: { en: `Level ${level}` } } },
    context: { registration },
    ...more,
  }),
})
const score = (scaled: number, duration?: string) => ({ result: { score: { scaled }, duration } })

test.each([
  ['a start and an end are one attempt', [said('initialized'), said('completed')], [1, 1, 0]],
  ['completed and passed end the same one', [said('attempted'), said('completed'), said('passed')], [1, 1, 0]],
  ['an end without a start', [said('completed'), said('completed')], [2, 2, 0]],
  ['a start after an end', [said('initialized'), said('failed'), said('initialized')], [2, 0, 1]],
  ['a restart before the end', [said('initialized'), said('initialized')], [2, 0, 0]],
  ['another session', [said('initialized'), said('completed', 1, {}, 's')], [2, 1, 0]],
  ['what was voided does not count', [said('initialized'), said('completed', 1, {}, 'r', true)], [1, 0, 0]],
  [
    'a verb of its own with completion',
    [said('https://v.example/won', 1, { result: { completion: true } })],
    [1, 1, 0],
  ],
  ['the serious-games profile', [said('https://w3id.org/xapi/adb/verbs/completed')], [1, 1, 0]],
])('%s', (_name, statements, counts) => {
  const [level] = levelsOf(statements)
  expect([level!.attempts, level!.completed, level!.failed]).toEqual(counts)
})

test('the best and the latest score, the time, the last played first; questions are no levels', () => {
  const question = { object: { id: 'q', definition: { type: 'http://adlnet.gov/expapi/activities/cmi.interaction' } } }
  const levels = levelsOf([
    said('completed', 1, score(0.8, 'PT1M2.5S')),
    said('completed', 2),
    said('completed', 1, score(0.4, 'P1DT1H')),
    said('answered', 1),
    said('completed', 1, question),
  ])
  expect(levels).toMatchObject([
    { activityId: 'https://g.example/1', name: '{"en":"Level 1"}', best: 0.8, lastScore: 0.4, seconds: 90_062.5 },
    { activityId: 'https://g.example/2', seconds: 0 },
  ])
  expect(levels[1]).not.toHaveProperty('best')
})
