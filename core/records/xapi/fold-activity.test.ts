import { expect, test } from 'vitest'
import { foldActivity, foldDefinition } from './fold-activity.ts'

test.each<[string, string[], string]>([
  ['one definition stays as it came', ['{ "name":{"en" : "x"}, "type":"t:t" }'], '{"name":{"en" : "x"},"type":"t:t"}'],
  [
    'languages merge, the latest wins',
    ['{"name":{"en":"a","de":"b"}}', '{"name":{"en":"c","fr":"d"}}'],
    '{"name":{"en":"c","de":"b","fr":"d"}}',
  ],
  [
    'null is no text',
    ['{"description":{"en":"a"}}', '{"description":{"en":null,"de":null}}'],
    '{"description":{"en":"a","de":null}}',
  ],
  [
    'extensions merge, null is a value',
    ['{"extensions":{"x:a":1.0,"x:b":{"c":1}}}', '{"extensions":{"x:a":null,"x:b":{"d":1e400}}}'],
    '{"extensions":{"x:a":null,"x:b":{"d":1e400}}}',
  ],
  [
    'other properties: the latest as a whole',
    ['{"type":"t:a","choices":[{"id":"1"}],"moreInfo":"m:m"}', '{"type":"t:b","choices":[{"id":"2"}]}'],
    '{"type":"t:b","choices":[{"id":"2"}],"moreInfo":"m:m"}',
  ],
  [
    'hostile keys and values are data',
    ['{"name":{"__proto__":"\\ud800"}}', '{"name":{"constructor":"\\u0000"},"extensions":{"__proto__":-0}}'],
    '{"name":{"__proto__":"\\ud800","constructor":"\\u0000"},"extensions":{"__proto__":-0}}',
  ],
  [
    'keys in other spellings are the same',
    ['{"name":{"en":"a"}}', '{"n\\u0061me":{"\\u0065n":"b"}}'],
    '{"name":{"en":"b"}}',
  ],
  ['empty ones', ['{}', '{"name":{}}'], '{"name":{}}'],
])('%s', (_, definitions, expected) => {
  expect(foldDefinition(definitions)).toBe(expected)
  expect(definitions.reduce((folded, next) => foldDefinition([folded, next]))).toBe(
    definitions.length > 1 ? expected : definitions[0],
  )
  expect(foldActivity('o:"o', definitions)).toBe(`{"objectType":"Activity","id":"o:\\"o","definition":${expected}}`)
})

test('an Activity without definition', () => {
  expect(foldActivity('o:o', [])).toBe('{"objectType":"Activity","id":"o:o"}')
})
