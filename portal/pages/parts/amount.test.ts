import { expect, test } from 'vitest'
import { dayName, moment } from './amount.ts'

test.each([
  [1_763_700_000n, 'minute', '21 Nov 2025, 04:40 UTC', '2025-11-21T04:40:00.000Z'],
  ['2026-11-20T12:00:05.123456Z', 'second', '20 Nov 2026, 12:00:05 UTC', '2026-11-20T12:00:05.123Z'],
  ['2026-11-20T13:00:05+01:00', 'clock', '12:00:05 UTC', '2026-11-20T12:00:05.000Z'],
] as const)('a time names its zone, and the instant for the script: %s', (at, to, text, instant) => {
  expect(moment(at, to).text).toBe(`<time datetime="${instant}" data-to="${to}">${text}</time>`)
})

test('what is no time stays text', () => {
  expect(moment('<b>soon').text).toBe('&lt;b&gt;soon')
})

test('a day is the same for everybody', () => {
  expect(dayName('2026-11-05')).toBe('5 Nov')
})
