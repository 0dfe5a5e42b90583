import { expect, test } from 'vitest'
import { attemptsOf, inTime, isAbandoned, isWholeGame, outcomeOf, stepOf, type Step } from './attempts.ts'

const adl = 'http://adlnet.gov/expapi/verbs/'
const minute = 60_000
const of = (verb: string, at = 0, result?: object, type?: string): Step | undefined =>
  stepOf(
    {
      actor: {},
      verb: { id: verb.includes(':') ? verb : adl + verb },
      object: { id: 'https://games.example/levels/1', definition: { type } },
      result,
    },
    at,
    at * 1000,
  )
const outcome = (...steps: (Step | undefined)[]) =>
  attemptsOf((steps as Step[]).toSorted(inTime)).map((attempt) => {
    const { completed, success, score, millis } = outcomeOf(attempt)
    return [completed ? 'completed' : '', success === null ? '' : success ? 'passed' : 'failed', score, millis]
  })

test.each<[string, readonly (Step | undefined)[], readonly unknown[][]]>([
  ['a start and an end', [of('initialized'), of('completed', minute)], [['completed', '', null, minute]]],
  ['passed is completed', [of('passed')], [['completed', 'passed', null, null]]],
  ['failed is not', [of('initialized'), of('failed', minute)], [['', 'failed', null, minute]]],
  ['completed, and not a success', [of('completed', 0, { success: false })], [['completed', 'failed', null, null]]],
  ['not completed, whatever the verb', [of('completed', 0, { completion: false })], [['', '', null, null]]],
  ['a success that is not completed', [of('passed', 0, { completion: false })], [['', 'passed', null, null]]],
  [
    'another verb with a completion',
    [of('https://v.example/did', 0, { completion: true })],
    [['completed', '', null, null]],
  ],
  [
    'the last word counts',
    [of('failed'), of('completed', 1, { success: true })],
    [['completed', 'passed', null, null]],
  ],
  ['completed, then passed, is one', [of('completed'), of('passed', 1)], [['completed', 'passed', null, null]]],
  [
    'a second end of a kind is the next',
    [of('completed'), of('completed', 1)],
    [
      ['completed', '', null, null],
      ['completed', '', null, null],
    ],
  ],
  [
    'so is a start after an end',
    [of('exited'), of('initialized', 1)],
    [
      ['', '', null, null],
      ['', '', null, null],
    ],
  ],
  ['launched, then initialized, is one', [of('launched'), of('initialized', 1)], [['', '', null, null]]],
  [
    'the duration that is given',
    [of('initialized'), of('completed', minute, { duration: 'PT5S' })],
    [['completed', '', null, 5_000]],
  ],
  [
    'one above 24 hours is none',
    [of('initialized'), of('completed', minute, { duration: 'P2D' })],
    [['completed', '', null, null]],
  ],
  [
    'times more than 24 hours apart are none',
    [of('initialized'), of('completed', 25 * 60 * minute)],
    [['completed', '', null, null]],
  ],
  [
    'the last score',
    [of('failed', 0, { score: { scaled: 0.2 } }), of('completed', 1, { score: { raw: 8, min: 0, max: 10 } })],
    [['completed', 'failed', 0.8, null]],
  ],
])('%s', (_, steps, expected) => {
  expect(outcome(...steps)).toEqual(expected)
  // in whatever order they arrive
  expect(outcome(...steps.toReversed())).toEqual(expected)
})

test.each([
  'http://adlnet.gov/expapi/verbs/initialized',
  'https://w3id.org/xapi/seriousgames/verbs/initialized',
  'https://rage.e-ucm.es/xapi/seriousgames/verbs/initialized',
  'http://activitystrea.ms/schema/1.0/started',
  'http://id.tincanapi.com/verb/attempted',
])('%s starts an attempt', (verb) => {
  expect(of(verb)).toMatchObject({ at: 0 })
  expect(isAbandoned(outcomeOf([of(verb)!]))).toBe(true)
})

test('questions and other verbs say nothing of attempts', () => {
  expect(of('answered')).toBeUndefined()
  expect(of('completed', 0, {}, 'http://adlnet.gov/expapi/activities/cmi.interaction')).toBeUndefined()
  expect(of('https://verbs.example/jumped')).toBeUndefined()
})

test('a start and an end of one time are one attempt', () => {
  expect(outcome(of('completed', 5), of('initialized', 5))).toEqual([['completed', '', null, 0]])
})

const id = '0f3c9b1e-2d5f-4e44-8a8e-0c1b2a3d4e5f'
test.each([
  [true, 'https://games.example/harbour', 'http://curatr3.com/define/type/serious-game', false],
  [true, `https://lrs.example/games/${id}`, '', false],
  [true, 'https://games.example/harbour', '', true],
  [false, 'https://games.example/harbour', '', false],
  [false, 'https://games.example/harbour/1', 'http://curatr3.com/define/type/level', true],
])('%s: %s of type "%s", which contains levels: %s', (whole, iri, type, contains) => {
  expect(isWholeGame(iri, type, contains, id)).toBe(whole)
})
