import { describe, expect, test } from 'vitest'
import { freeSlug, slugOf } from './slug.ts'
import { line, paragraphs } from './text.ts'

describe('texts', () => {
  test.each([
    ['  Blue \t\n Fox ', 'Blue Fox'],
    ['<b>&amp;</b>', '<b>&amp;</b>'],
    ['👩‍🚀 café', '👩‍🚀 café'],
    ['cafe\u0301', 'café'],
  ])('a line %j is %j', (given, expected) => expect(line(given, 'name', { min: 1, max: 20 })).toBe(expected))

  test('paragraphs keep their breaks and tabs', () =>
    expect(paragraphs('\r\na\r\n\rb\n\tc \n', 'about', { max: 20 })).toBe('a\n\nb\n\tc'))

  test('may be missing where they may', () =>
    expect([line(' ', 'summary', { max: 5 }), paragraphs('\n', 'about', { max: 5 })]).toEqual(['', '']))

  test.each([
    ['', 'must not be empty'],
    [' \u200b\u200f\u2060 ', 'must not hold invisible characters, such as U+200B'],
    ['a\0b', 'must not hold control characters'],
    ['a\u009bb', 'must not hold control characters'],
    ['a\u202eb', 'must not hold invisible characters, such as U+202E'],
    ['👩'.repeat(6), 'must have 5 characters at most, but has 6'],
  ])('a line %j is refused', (given, what) => {
    expect(() => line(given, 'name', { min: 1, max: 5 })).toThrow(expect.objectContaining({ path: 'name', what }))
  })

  test('five characters are five, whatever they take in UTF-16', () =>
    expect(line('👩👩👩👩👩', 'name', { max: 5 })).toHaveLength(10))
  test('a minimum is told', () =>
    expect(() => line('ab', 'name', { min: 3, max: 5 })).toThrow('name: must have 3 characters or more'))
})

describe('names in addresses', () => {
  test.each([
    ['Blue Fox & Söhne', 'blue-fox-sohne'],
    ['  Straße 7!', 'strasse-7'],
    ['Élan/../etc', 'elan-etc'],
    ['Ｆｕｌｌ', 'full'],
    ['Шахматы', 'game'],
    ['---', 'game'],
    [`${'a'.repeat(59)} b`, 'a'.repeat(59)],
  ])('%j is %j', (name, slug) => expect(slugOf(name, 'game')).toBe(slug))

  test('get the first number that is free', () => {
    expect([
      freeSlug('a', new Set()),
      freeSlug('a', new Set(['a', 'a-3'])),
      freeSlug('a', new Set(['a', 'a-2', 'a-3'])),
    ]).toEqual(['a', 'a-2', 'a-4'])
  })
})
