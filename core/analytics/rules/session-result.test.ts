import { expect, test } from 'vitest'
import { outlineOf } from '../../records/xapi/outline.ts'
import { sessionResult } from './session-result.ts'

const gameId = '0f3c9b1e-2d5f-4e44-8a8e-0c1b2a3d4e5f'
const game = `https://g.example/games/${gameId}`
let second = 0
const said = (verb: string, result?: object, id = game) => ({
  ago: 100 - ++second,
  stored: (1_700_000_000 + second) * 1e6,
  body: JSON.stringify({
    verb: { id: verb.includes(':') ? verb : `http://adlnet.gov/expapi/verbs/${verb}` },
    object: { id, definition: { name: { en: 'X' } } },
    timestamp: new Date(1_700_000_000_000 + second * 1000).toISOString(),
    result,
  }),
})
const level = (verb: string, result?: object) => said(verb, result, `${game}/level-1`)

test('the game was completed, passed and scored', () => {
  const found = sessionResult(
    [
      said('initialized'),
      level('completed', { score: { scaled: 0.5 } }),
      said('completed', { success: true, score: { scaled: 0.8, raw: 8, max: 10 }, duration: 'PT1M35S' }),
    ],
    gameId,
    null,
  )
  expect(found).toMatchObject({
    ended: 'completed',
    statements: 3,
    success: true,
    completion: true,
    score: { scaled: 0.8, raw: 8, max: 10 },
    seconds: 95,
    levels: [{ activityId: `${game}/level-1`, best: 0.5 }],
  })
})

test('nothing about the game itself: no result, and the time from the first to the last statement', () => {
  const found = sessionResult([level('initialized'), level('completed', { score: { scaled: 1 } })], gameId, null)
  expect(found).toMatchObject({ ended: '', seconds: 1, levels: [{ completed: 1 }] })
  expect([found.score, found.success, found.completion]).toEqual([undefined, undefined, undefined])
  expect(sessionResult([], gameId, null)).toMatchObject({ statements: 0, seconds: 0, ended: '' })
})

test.each([
  ['it terminated', [said('initialized'), said('terminated', { duration: 'PT9S' })], 'terminated'],
  ['it was loaded again after that', [said('terminated'), said('initialized')], ''],
  ['it went on after that', [said('terminated'), level('initialized')], ''],
  ['a level terminated', [said('initialized'), level('terminated')], ''],
  ['it was completed, and goes on', [said('completed'), level('initialized')], 'completed'],
  ['a level was completed', [level('completed')], ''],
  ['a verb of another profile', [said('https://v.example/terminated')], ''],
] as const)('%s', (_, statements, ended) => {
  expect(sessionResult(statements, gameId, null).ended).toBe(ended)
})

test('the last attempt counts that was not abandoned; a failure is no success', () => {
  expect(sessionResult([said('passed'), said('failed', { score: { raw: 3 } })], gameId, null)).toMatchObject({
    success: false,
    score: { raw: 3 },
  })
  const again = [said('completed', { score: { scaled: 0.8 } }), said('terminated'), said('initialized')]
  expect(sessionResult(again, gameId, null)).toMatchObject({ completion: true, score: { scaled: 0.8 } })
  expect(sessionResult([said('initialized'), said('terminated')], gameId, null)).not.toHaveProperty('completion', false)
  expect(sessionResult([said('completed', { completion: false })], gameId, null).completion).toBe(false)
})

test('numbers beyond all numbers are none', () => {
  const statement = said('completed', { score: { scaled: 0.5, raw: 1, max: 2 }, duration: `PT${'9'.repeat(400)}S` })
  const body = statement.body.replace('"raw":1', '"raw":1e400').replace('"max":2', '"max":-1e400')
  for (const one of [body, outlineOf(body)])
    expect(sessionResult([{ ...statement, body: one }], gameId, null)).toMatchObject({
      score: { scaled: 0.5 },
      seconds: 0,
    })
  expect(sessionResult([{ ...statement, body: outlineOf(body) }], gameId, null).score).toEqual({ scaled: 0.5 })
})
