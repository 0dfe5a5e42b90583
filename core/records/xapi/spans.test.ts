import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arrayText, objectText } from '../../../test/support/random-json.ts'
import { parse } from './json.ts'
import { drop, elements, members, splice, type Edit } from './spans.ts'

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

test('edits in any order, inside a part of a text', () => {
  const edits = [
    { start: 7, end: 7, text: '!' },
    { start: 3, end: 5, text: 'X' },
    { start: 5, end: 6, text: '' },
  ]
  expect(splice('0123456789', 2, 9, edits)).toBe('2X6!78')
})

test.each([
  ['a', '{ "b":2 , "c":3 }'],
  ['b', '{ "a":1 , "c":3 }'],
  ['c', '{ "a":1, "b":2 }'],
  ['ab', '{ "c":3 }'],
  ['ac', '{ "b":2 }'],
  ['bc', '{ "a":1 }'],
  ['abc', '{  }'],
])('drops %s', (keys, expected) => {
  const text = '{ "a":1, "b":2 , "c":3 }'
  const edits: Edit[] = []
  drop(members(text), ({ key }) => keys.includes(key), edits)
  expect(splice(text, 0, text.length, edits)).toBe(expected)
})

test('what is not dropped stays as it was', () => {
  fc.assert(
    fc.property(objectText, fc.nat(), (text, mask) => {
      const list = members(text)
      const unwanted = new Set(list.filter((_, index) => (mask >> index) & 1))
      const edits: Edit[] = []
      drop(list, (member) => unwanted.has(member), edits)
      const result = splice(text, 0, text.length, edits)
      const raw = (from: string) => members(from).map(({ keyStart, valueEnd }) => from.slice(keyStart, valueEnd))
      expect(() => JSON.parse(result) as unknown).not.toThrow()
      expect(raw(result)).toEqual(raw(text).filter((_, index) => !unwanted.has(list[index]!)))
    }),
  )
})
