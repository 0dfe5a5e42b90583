import { expect, test } from 'vitest'
import type { Statement } from '../../records/xapi/types.ts'
import { cuts } from '../../../shared/limits.ts'
import { isCutValue } from '../../../shared/result-address.ts'
import { cutValueOf, isCut, notTold, numberOfValue, otherValues } from './cut.ts'

const iri = 'https://games.example/device'
const of = (context: object, result: object = {}) => ({ context, result }) as Statement

test.each([
  ['language', of({ language: 'de-AT' }), 'de-AT'],
  ['language', of({ platform: 'web' }), undefined],
  ['platform', of({ platform: '' }), undefined],
  ['platform', {} as Statement, undefined],
  [iri, of({ extensions: { [iri]: 7 } }, { extensions: { [iri]: 8 } }), '7'],
  [iri, of({ extensions: { [iri]: null } }, { extensions: { [iri]: false } }), 'false'],
  [iri, of({ extensions: { [iri]: ['phone'] } }), undefined],
  [iri, of({ extensions: { [iri]: { name: 'phone' } } }), undefined],
  [iri, of({ extensions: { [iri]: `a\0${'b'.repeat(2_000)}` } }), `a\u{fffd}${'b'.repeat(98)}`],
])('%s of %j is %j', (cut, statement, value) => expect(cutValueOf(statement, cut)).toBe(value))

test.each([
  ['language', true],
  [iri, true],
  ['verb', false],
  ['__proto__', false],
  [`https://games.example/${'a'.repeat(500)}`, false],
])('a game can be cut by %j: %j', (cut, can) => expect(isCut(cut)).toBe(can))

test('a value keeps its number, whichever came before it; the first 100 are counted one by one', () => {
  const values = Array.from({ length: cuts.values + 1 }, (_, n) => `value ${n}`)
  const [known, again] = [new Map<number, string>(), new Map<number, string>()]
  const numbers = values.map((value) => numberOfValue(known, iri, value))
  expect(new Set(numbers).size).toBe(cuts.values + 1)
  expect(numbers.at(-1)).toBe(otherValues)
  const other = values.toReversed().map((value) => numberOfValue(again, iri, value))
  expect(other.slice(1, -1)).toEqual(numbers.slice(1, -1).toReversed())
  expect(other.at(-1)).toBe(otherValues)
  expect(numberOfValue(known, 'platform', undefined)).toBe(notTold)
  expect([...numbers, notTold].every(isCutValue)).toBe(true)
  // an address of another cut is none of this one
  expect(numberOfValue(new Map(), 'platform', 'value 0')).not.toBe(numbers[0])
  // where two values have the same hash, the later one has the next number
  const taken = new Map([[numbers[0]!, 'another one']])
  expect(numberOfValue(taken, iri, 'value 0')).toBe(numbers[0]! + 1)
  expect(numberOfValue(taken, iri, 'value 0')).toBe(numbers[0]! + 1)
})
