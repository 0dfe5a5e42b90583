import { expect, test } from 'vitest'
import { amount } from './show.ts'

test.each([
  [0, '0 statements'],
  [1, '1 statement'],
  [2, '2 statements'],
  [1234567n, '1,234,567 statements'],
  [1n, '1 statement'],
] as const)('%s is told as %s', (value, text) => expect(amount(value, 'statement')).toBe(text))

test('verbs go with it', () => expect([1, 2].map((value) => amount(value, 'is', 'are'))).toEqual(['1 is', '2 are']))
