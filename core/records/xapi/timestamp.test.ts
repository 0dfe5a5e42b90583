import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isTimestamp, microsOf, timestampOf } from './timestamp.ts'

describe('microsOf', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00:00.000001Z', 1n],
    ['1970-01-01T00:00:00.1Z', 100_000n],
    ['1970-01-01T00:00:00.1234567899Z', 123_456n],
    ['1969-12-31T23:59:59.999999Z', -1n],
    ['1970-01-01T01:00:00+01:00', 0n],
    ['1970-01-01T00:00:00.5-00:30', 1_800_500_000n],
    ['2026-11-21T14:05:09.123456Z', 1_795_269_909_123_456n],
    ['9999-12-31T23:59:59.999999Z', 253_402_300_799_999_999n],
    ['0000-01-01T00:00:00Z', -62_167_219_200_000_000n],
  ])('%s', (text, micros) => {
    expect(isTimestamp(text)).toBe(true)
    expect(microsOf(text)).toBe(micros)
  })
})

describe('timestampOf', () => {
  test('six digits, always', () => {
    expect(timestampOf(0)).toBe('1970-01-01T00:00:00.000000Z')
    expect(timestampOf(1_795_269_909_123_456)).toBe('2026-11-21T14:05:09.123456Z')
    expect(timestampOf(-1)).toBe('1969-12-31T23:59:59.999999Z')
  })

  test('is the inverse of microsOf over all years in which microseconds are exact numbers', () => {
    const micros = fc.integer({ min: -9_007_199_000_000_000, max: Number.MAX_SAFE_INTEGER })
    fc.assert(
      fc.property(micros, (value) => microsOf(timestampOf(value)) === BigInt(value) && isTimestamp(timestampOf(value))),
    )
  })

  test('sorts as text like the time does', () => {
    const micros = fc.integer({ min: 0, max: 2 ** 52 })
    fc.assert(fc.property(micros, micros, (a, b) => a < b === timestampOf(a) < timestampOf(b)))
  })
})

test('a day is a timestamp exactly if the calendar has it', () => {
  for (let year = 1896; year <= 2104; year += 4) {
    for (const [month, days] of [
      [1, 31],
      [2, new Date(year, 2, 0).getDate()],
      [4, 30],
      [11, 30],
      [12, 31],
    ] as const) {
      const text = (day: number) => `${year}-${String(month).padStart(2, '0')}-${day}T00:00:00Z`
      expect(isTimestamp(text(days))).toBe(true)
      expect(isTimestamp(text(days + 1))).toBe(false)
    }
  }
})
