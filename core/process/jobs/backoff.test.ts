import { expect, test } from 'vitest'
import { deliveries as limits } from '../../../shared/limits.ts'
import { pauseAfter } from './backoff.ts'

const now = Date.parse('2026-11-23T10:00:00Z')
const pause = (failures: number, retryAfter?: string, chance = 0.5) => pauseAfter(failures, retryAfter, { now, chance })

test('pauses double from 5 seconds to an hour', () => {
  expect([0, 1, 2, 3, 4].map((failures) => pause(failures))).toEqual([5, 5, 10, 20, 40])
  expect([10, 11, 12, 1_000_000].map((failures) => pause(failures))).toEqual([2560, 3600, 3600, 3600])
})

test('chance spreads them, within the bounds', () => {
  expect([0, 0.5, 0.999].map((chance) => Math.round(pause(3, undefined, chance)))).toEqual([15, 20, 25])
  for (let failures = 0; failures < 40; failures++) {
    const seconds = pauseAfter(failures)
    expect(seconds).toBeGreaterThanOrEqual(limits.firstPause)
    expect(seconds).toBeLessThanOrEqual(limits.longestPause)
  }
})

test('pauses of a system that gives no answer end earlier', () => {
  const longest = limits.longestUnanswered
  expect([1, 5, 6, 40].map((failures) => pauseAfter(failures, undefined, { chance: 0.5, longest }))).toEqual([
    5, 80, 160, 300,
  ])
})

test.each([
  ['120', 120],
  [' 7 ', 7],
  ['Mon, 23 Nov 2026 10:02:00 GMT', 120],
  ['Monday, 23-Nov-26 10:02:00 GMT', 120],
  // in the past, too soon, nothing
  ['Mon, 23 Nov 2026 09:00:00 GMT', 5],
  ['1', 5],
  ['', 5],
  ['-5', 5],
  ['1.5', 5],
  ['soon', 5],
  ['Infinity', 5],
  // more than anybody waits for
  ['99999999999999999999', limits.longestAsked],
  ['9'.repeat(400), limits.longestAsked],
  ['Fri, 01 Jan 2100 00:00:00 GMT', limits.longestAsked],
])('Retry-After: %s', (header, seconds) => expect(pause(1, header)).toBe(seconds))
