import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formOf, toldOf } from '../../process/methods/failure.ts'
import { rulesFor } from './dialect.ts'
import { mergeDocuments } from './merge.ts'
import { agentParameter, iriParameter, timeParameter, uuidParameter } from './parameters.ts'
import { prepareStatements } from './prepare.ts'

const { statements: bases } = JSON.parse(readFileSync('test/cases/bases.json', 'utf8')) as Record<string, object>
const rules = rulesFor('2.0.0', 'xapi')
const how = { rules, authority: '{}', now: '2026-11-21T09:30:00.000Z', maxStatements: 250 }

/** Values that name somebody, in every shape that a rule may quote. */
const planted = [
  'zebulonQ',
  'zebulonQ@home.example',
  'mailto:zebulonQ@home.example',
  'https://zebulonQ.example/a b',
  'https://zebulonQ.example/',
  8_675_309,
  -8_675_309.5,
  { zebulonQ: 'zebulonQ' },
  { 'zebulonQ@home.example': 8_675_309 },
  ['zebulonQ'],
]
const isPlanted = /zebulonQ|8675309|home\.example/

/** Copies of the value with each thing in it replaced, each key renamed, and a key added to each object. */
function* variants(value: unknown): Generator {
  yield* planted
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [n, element] of value.entries()) for (const one of variants(element)) yield value.with(n, one)
    return
  }
  for (const key of ['zebulonQ', 'zebulonQ@home.example', 'zebulonQ "a" \\']) yield { ...value, [key]: 1 }
  for (const [key, member] of Object.entries(value)) {
    for (const one of variants(member)) yield { ...value, [key]: one }
    for (const name of ['zebulonQ', 'zebulonQ@home.example'])
      yield Object.fromEntries(Object.entries(value).map(([other, kept]) => [other === key ? name : other, kept]))
  }
}

/** What the callers of these got, and what is kept of it. */
function refusals(calls: Iterable<() => unknown>) {
  const told: string[] = []
  const kept: string[] = []
  for (const call of calls) {
    try {
      call()
    } catch (error) {
      const { path, message } = toldOf(error).failure
      told.push(`${path} ${message}`)
      const form = formOf(error)
      kept.push(`${form.path} ${form.message}`)
    }
  }
  return { told, kept }
}

function* statementsWith(): Generator<() => unknown> {
  for (const base of Object.values(bases ?? {}))
    for (const one of variants(base)) yield () => prepareStatements(Buffer.from(JSON.stringify([one])), how)
}

function* otherRequests(): Generator<() => unknown> {
  const whole = '[{"actor":{"mbox":"mailto:zebulonQ@home.example","mbox":1}}]'
  for (let end = 0; end <= whole.length; end++) yield () => prepareStatements(Buffer.from(whole.slice(0, end)), how)
  for (let at = 0; at < whole.length; at++)
    yield () => prepareStatements(Buffer.from(`${whole.slice(0, at)}zebulonQ${whole.slice(at)}`), how)
  for (const one of planted) {
    const text = typeof one === 'string' ? one : JSON.stringify(one)
    yield () => agentParameter(text, 'agent', rules)
    yield () => agentParameter(JSON.stringify({ mbox: one }), 'agent', rules)
    yield () => iriParameter(text, 'activityId')
    yield () => uuidParameter(text, 'registration')
    yield () => timeParameter(text, 'since')
    yield () => mergeDocuments(Buffer.from(text), Buffer.from('{}'))
    yield () => mergeDocuments(Buffer.from('{}'), Buffer.from(`{"a":${text}}`))
  }
}

test.each([
  ['statements with a name in each place', statementsWith, 1_000],
  ['broken JSON, parameters and documents', otherRequests, 100],
])('of %s the caller reads what was wrong, and nothing of it is kept', (_, calls, least) => {
  const { told, kept } = refusals(calls())
  expect(kept.length).toBeGreaterThan(least)
  // otherwise there would be nothing to find
  expect(told.filter((text) => isPlanted.test(text)).length).toBeGreaterThan(least / 3)
  expect(kept.filter((text) => isPlanted.test(text))).toEqual([])
})

test('what is kept says what has to be', () => {
  const [kept] = refusals([
    () => prepareStatements(Buffer.from('[{"actor":{"mbox":"zebulonQ@home.example"}}]'), how),
  ]).kept
  expect(kept).toMatch(/^statements\[0\]\.actor\.mbox statements\[0\]\.actor\.mbox: must be a mailto IRI .*, not …$/)
})
