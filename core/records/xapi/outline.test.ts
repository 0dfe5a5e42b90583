import { expect, test } from 'vitest'
import { outlineOf } from './outline.ts'

test('an outline has what results are counted from, and nothing else', () => {
  const statement = {
    verb: { id: 'https://v.example/won', display: { en: 'won' } },
    object: { objectType: 'Activity', id: 'https://g.example/1', definition: { type: 'https://t.example', name: {} } },
    result: { score: { raw: 3 }, success: false, completion: true, duration: 'PT1S' },
    context: { registration: 'r', contextActivities: { parent: [{ id: 'x:1' }], grouping: [{ id: 'x:2' }] } },
    timestamp: '2026-01-01T00:00:00Z',
  }
  const { verb, object, result, context } = statement
  const more = {
    ...statement,
    actor: { name: 'Ann' },
    object: { ...object, definition: { ...object.definition, description: { en: 'D' }, extensions: {} } },
    result: { ...result, response: 'R', extensions: { 'https://e.example': 1 } },
    context: {
      ...context,
      contextActivities: { ...context.contextActivities, category: [{ id: 'x:3' }] },
      extensions: {},
    },
  }
  expect(JSON.parse(outlineOf(JSON.stringify(more)))).toEqual({ ...statement, verb: { id: verb.id } })
})

test('names in hundreds of languages are left out, and an agent stays one', () => {
  const name = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x-${n}`, 'name']))
  const of = (object: object) => JSON.parse(outlineOf(JSON.stringify({ verb: {}, object }))).object
  expect(of({ id: 'https://g.example/1', definition: { name } })).toEqual({ id: 'https://g.example/1', definition: {} })
  expect(of({ objectType: 'Agent', mbox: 'mailto:a@b.example' })).toEqual({ objectType: 'Agent', definition: {} })
})
