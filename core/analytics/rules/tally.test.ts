import { expect, test } from 'vitest'
import type { Statement } from '../../records/xapi/types.ts'
import { saidOf } from './said.ts'
import { tally } from './tally.ts'
import type { Turn } from './turn.ts'

const noon = Date.parse('2026-11-20T12:00:00Z')
const nextDay = Date.parse('2026-11-21T00:00:00Z')
const adl = 'http://adlnet.gov/expapi/verbs/'

/** A statement by ann of a level; `json` replaces members of its JSON. */
function turn(json: object = {}, over: Partial<Turn> = {}): Turn {
  const object = { id: 'https://a.example/level-1' }
  const statement = { verb: { id: 'https://v.example/played' }, object, ...json } as Statement
  const { at = noon, stored = noon * 1000, activity = 'a' } = over
  return {
    stored,
    at,
    day: Math.floor(at / 86_400_000),
    team: false,
    actor: 'ann',
    verb: 'v',
    activity,
    registration: null,
    build: 0,
    retracted: false,
    voided: false,
    voiding: false,
    ...saidOf(statement, at, stored, activity !== null),
    ...over,
  }
}
const score = (scaled: number) => turn({ result: { score: { scaled } } })
const verb = (name: string, result?: object) => turn({ verb: { id: adl + name }, result })

test('statements stand on their day', () => {
  const turns = [turn(), turn({}, { at: nextDay - 1 }), turn({}, { at: nextDay }), turn({}, { actor: 'ben' })]
  expect(tally(turns)).toMatchObject({
    verbs: [
      { day: '2026-11-20', verb: 'v', statements: 3 },
      { day: '2026-11-21', verb: 'v', statements: 1 },
    ],
    activities: [],
  })
})

test('what a level names as its parent or grouping contains it; a question says nothing of that', () => {
  const context = { contextActivities: { parent: [{ id: 'https://a.example/world' }] } }
  const names = (json: object) => tally([turn({ ...json, context })]).names.map(({ iri, contains }) => [iri, contains])
  const level = { id: 'https://a.example/level-1' }
  const verb = { id: `${adl}completed` }
  const question = { ...level, definition: { type: `${adl.replace('verbs', 'activities')}cmi.interaction` } }
  expect(names({ verb, object: level })).toContainEqual(['https://a.example/world', true])
  expect(names({ verb, object: question })).not.toContainEqual(['https://a.example/world', true])
  expect(names({ verb, object: { id: 'https://a.example/world' } })).toContainEqual(['https://a.example/world', false])
})

const outcomes: [string, Turn, object | undefined][] = [
  ['an experience', turn(), undefined],
  ['result.completion', turn({ result: { completion: true } }), { completions: 1, passed: 0, failed: 0 }],
  ['the verb completed', verb('completed'), { completions: 1, passed: 0, failed: 0 }],
  ['the verb completed, with completion false', verb('completed', { completion: false }), undefined],
  ['the verb passed', verb('passed'), { completions: 1, passed: 1, failed: 0 }],
  ['the verb failed', verb('failed'), { completions: 0, passed: 0, failed: 1 }],
  ['success says more than the verb', verb('failed', { success: true }), { passed: 1, failed: 0 }],
  ['success without an attempt', turn({ result: { success: false } }), undefined],
  [
    'a StatementRef has no levels',
    turn({ object: { objectType: 'StatementRef', id: 'x' }, result: { completion: true } }, { activity: null }),
    undefined,
  ],
]
test.each(outcomes)('%s', (_name, given, expected) => {
  const { activities } = tally([given])
  if (expected) expect(activities).toEqual([expect.objectContaining({ activity: 'a', day: '2026-11-20', ...expected })])
  else expect(activities).toEqual([])
})

test('scores fall into ten bins, whose borders belong to the upper one', () => {
  const { activities } = tally([-1, 0, 0.099, 0.1, 0.3, 0.6, 0.7, 0.999, 1].map(score))
  expect(activities[0]!.scores).toEqual([3, 1, 0, 1, 0, 0, 1, 1, 0, 2])
  expect(activities[0]!.scoreSum).toBeCloseTo(2.798)
})

test('a statement voided later is taken back on its own day; one voided before it came never counts', () => {
  const completed = verb('completed', { score: { scaled: 0.8 } })
  const voiding = turn(
    { verb: { id: `${adl}voided` } },
    { at: nextDay, verb: 'voided', activity: null, voids: completed },
  )
  const sums = (turns: Turn[]) => tally(turns).activities.map(({ completions, scores }) => [completions, ...scores])
  expect(sums([completed, voiding])).toEqual([Array(11).fill(0)])
  expect(tally([voiding]).verbs).toEqual([
    { day: '2026-11-20', verb: 'v', statements: -1 },
    { day: '2026-11-21', verb: 'voided', statements: 1 },
  ])
  expect(tally([{ ...completed, retracted: true }])).toEqual({
    verbs: [],
    activities: [],
    names: [],
  })
})

test('names: English, else the first; the last one that there is; fit for the database', () => {
  const named = (name?: unknown) => turn({ object: { id: 'https://a.example/level-1', definition: { name } } })
  const nameOf = (...turns: Turn[]) => tally(turns).names.find(({ key }) => key === 'a')!.name
  expect(nameOf(named({ de: 'Stufe', 'en-GB': 'Level' }))).toBe('Level')
  expect(nameOf(named({ de: 'Stufe', fr: 'Niveau' }))).toBe('Stufe')
  expect(nameOf(named({ en: 'Old' }), named({ en: 'New' }), named())).toBe('New')
  expect(nameOf(named({ en: 'a\0b\ud800' }))).toBe('a\ufffdb\ufffd')
  expect(nameOf(named(JSON.parse('{"__proto__":"x"}')))).toBe('x')
  expect(nameOf(named({ en: 'x'.repeat(1_000) }))).toHaveLength(200)
})
