import { expect, test } from 'vitest'
import { invitations } from '../../../shared/limits.ts'
import { mostNicknames, nicknames, toldApart } from './nicknames.ts'

test('a whole class has as many animals as nicknames', () => {
  expect(mostNicknames).toBeGreaterThanOrEqual(invitations.ofClass)
  const names = nicknames(invitations.ofClass, [])
  expect(new Set(names.map((name) => name.split(' ')[1])).size).toBe(invitations.ofClass)
  for (const name of names) expect(name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
})

test('who comes later gets an animal that nobody has', () => {
  const before = nicknames(60, [])
  const after = nicknames(30, before)
  const animals = [...before, ...after].map((name) => name.split(' ')[1])
  expect(new Set(animals).size).toBe(90)
  // when all animals are taken, the first word differs
  const all = nicknames(mostNicknames + 50, [])
  expect(new Set(all).size).toBe(mostNicknames + 50)
})

test('names that are the same are told apart, also by case and width', () => {
  expect(toldApart(['Ben', 'Ann', 'ben', 'Ben', 'Ben (2)'], [])).toEqual([
    'Ben',
    'Ann',
    'ben (2)',
    'Ben (3)',
    'Ben (2) (2)',
  ])
  expect(toldApart(['Ann'], ['ANN', 'Ann (2)'])).toEqual(['Ann (3)'])
})

test('more names than there are is an error, and no loop without an end', () => {
  expect(() => nicknames(10_000, [])).toThrow(RangeError)
})
