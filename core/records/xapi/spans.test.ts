import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arrayText, objectText } from './json.arbitrary.ts'
import { parse } from './parse.ts'
import { elements, members } from './spans.ts'

test('members of an object, with keys as JSON means them', () => {
  const text = ' { "a" : 1 ,"\\u0062":{"c":"}"}, "__proto__":[ "]" ]\n}'
  const found = members(text).map(({ key, keyStart, valueStart, valueEnd }) => {
    return [key, text.slice(keyStart, valueStart), text.slice(valueStart, valueEnd)]
  })
  expect(found).toEqual([
    ['a', '"a" : ', '1'],
    ['b', '"\\u0062":', '{"c":"}"}'],
    ['__proto__', '"__proto__":', '[ "]" ]'],
  ])
})

test.each(['{}', ' { } ', '{\n}'])('no members in %j', (text) => {
  expect(members(text)).toEqual([])
})

test.each(['[]', ' [ ] ', '[\n]'])('no elements in %j', (text) => {
  expect(elements(text)).toEqual([])
})

test('strings end at the first quote that is not escaped', () => {
  const text = '["\\\\","\\"","\\\\\\"x",""]'
  expect(elements(text).map(({ start, end }) => text.slice(start, end))).toEqual([
    '"\\\\"',
    '"\\""',
    '"\\\\\\"x"',
    '""',
  ])
})

test('members agree with JSON.parse wherever the object starts', () => {
  fc.assert(
    fc.property(objectText, fc.constantFrom('', ' ', '[1,'), (object, before) => {
      const text = `${before}${object}]`
      const found = members(text, before.trim().length)
      const value = parse(object) as Record<string, unknown>
      expect(new Set(found.map(({ key }) => key))).toEqual(new Set(Object.keys(value)))
      for (const { key, keyStart, valueStart, valueEnd } of found) {
        expect(Object.getOwnPropertyDescriptor(value, key)!.value).toEqual(parse(text.slice(valueStart, valueEnd)))
        expect(Object.keys(parse(`{${text.slice(keyStart, valueEnd)}}`) as object)).toEqual([key])
      }
    }),
  )
})

test('elements agree with JSON.parse', () => {
  fc.assert(
    fc.property(arrayText, (text) => {
      expect(elements(text).map(({ start, end }) => parse(text.slice(start, end)))).toEqual(parse(text))
    }),
  )
})
