import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectText } from '../../../test/support/random-json.ts'
import { mergeDocuments } from './merge.ts'
import { members } from './spans.ts'

const merge = (stored: string, posted: string) => mergeDocuments(Buffer.from(stored), Buffer.from(posted)).toString()

test.each([
  ['{}', '{}', '{}'],
  ['{ }', '{"a":1}', '{"a":1 }'],
  ['{"a":1}', '{}', '{"a":1}'],
  ['{"a":1,"b":2}', '{"b":3,"c":4}', '{"a":1,"b":3,"c":4}'],
  ['{"a":{"x":1}}', '{"a":{"y":2}}', '{"a":{"y":2}}'],
  ['{ "a" : 1.0 }\n', '{"b": -0 , "c" : 1e400 }', '{ "a" : 1.0,"b": -0,"c" : 1e400 }\n'],
  ['{"a":1}', '{"\\u0061":2}', '{"a":2}'],
  ['{"a":1}', '{"__proto__":{"x":1},"constructor":"\\u0000"}', '{"a":1,"__proto__":{"x":1},"constructor":"\\u0000"}'],
  ['{"__proto__":1}', '{"__proto__":"\\ud800"}', '{"__proto__":"\\ud800"}'],
])('%s and %s: %s', (stored, posted, expected) => {
  expect(merge(stored, posted)).toBe(expected)
})

test.each([
  ['[]', '{}', /^must be a JSON object to be merged \(the stored document is not\)/],
  ['{}', 'null', /^must be a JSON object to be merged \(the document is not\)/],
  ['{}', '{"a":1', /^must be valid JSON: .* \(the document cannot be merged\)/],
  ['not JSON', '{}', /^must be valid JSON: .* \(the stored document cannot be merged\)/],
  ['{}', '{"a":{"b":1,"b":2}}', /^a\.b: must be given only once/],
])('refuses %s and %s', (stored, posted, message) => {
  expect(() => merge(stored, posted)).toThrow(message)
})

test('has the members of both with their texts as they were, and the posted ones win', () => {
  const texts = (text: string) => {
    return new Map(members(text).map(({ key, valueStart, valueEnd }) => [key, text.slice(valueStart, valueEnd)]))
  }
  fc.assert(
    fc.property(objectText, objectText, (stored, posted) => {
      expect(texts(merge(stored, posted))).toEqual(new Map([...texts(stored), ...texts(posted)]))
    }),
  )
})
