import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from './json.ts'

test.each([
  ['{"zz":0,"\\\\":0}', '{"zz":0,"\\u0061":0}', 'a'],
  ['{"zy":0,"https://example.org/\\\\":0}', '{"zy":0,"https://example.org/\\u00e4":0}', 'https://example.org/ä'],
  ['{"zx":0,"\\\\":0}', ' { "zx" : 0 , "\\"" : 0 } ', '"'],
  ['{"zw":0,"\\\\u0":0}', '[{"zw":0,"\\u0061bc":0}]', 'abc'],
])('after %s the keys of %s are its own', (earlier, text, key) => {
  parse(earlier)
  const value = parse(text)
  const object = (Array.isArray(value) ? value[0] : value) as object
  expect(Object.keys(object)[1]).toBe(key)
})

test('an escaped __proto__ is an ordinary property', () => {
  const value = parse('{"\\u005f_proto__":{"a":1}}') as object
  expect(Object.keys(value)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test('what JSON.stringify wrote comes back, whatever was parsed before', () => {
  const unit = fc.constantFrom('\\', '"', '\n', 'a', 'ä', '\u0000', '\ud800', ':')
  const key = fc.oneof(fc.string({ unit, maxLength: 3 }), fc.constantFrom('__proto__', '0'))
  const value = fc.anything({
    key,
    values: [fc.string({ unit }), fc.integer(), fc.boolean(), fc.constant(null)],
    maxDepth: 3,
  })
  fc.assert(
    fc.property(value, (given) => {
      expect(parse(JSON.stringify(given))).toEqual(given)
    }),
    { numRuns: 2_000 },
  )
})

test.each(['', '{"\\u0061":}', '{"a":1,}', '{"\\x":1}'])('%j is no JSON', (text) => {
  expect(() => parse(text)).toThrow(SyntaxError)
})
