import fc from 'fast-check'
import { expect, test } from 'vitest'
import { objectText } from './json.arbitrary.ts'
import { members } from './spans.ts'
import { drop, splice, type Edit } from './splice.ts'

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
