import { expect, test } from 'vitest'
import { furtherLimits, lessons as limits } from '../../../shared/limits.ts'
import { freeNumber, lessonCode, newLessonCode } from './lesson-codes.ts'

test.each([
  ['042917', '042917'],
  [' 042 917 ', '042917'],
  ['042-917', '042917'],
  ['０４２９１７', '042917'],
  ['42917', undefined],
  ['0429171', undefined],
  ['04291a', undefined],
  ['', undefined],
])('typed as %j it is %j', (typed, code) => expect(lessonCode(typed)).toBe(code))

test('a code has six digits, also a small one', () => {
  expect(newLessonCode(() => 7)).toBe('000007')
  expect(newLessonCode()).toMatch(/^\d{6}$/)
})

test('a sign is one that nobody who waits has, as long as there is one', () => {
  const used: number[] = []
  for (let n = 0; n < limits.signs; n++) used.push(freeNumber(limits.signs, used))
  expect(new Set(used).size).toBe(limits.signs)
  expect(freeNumber(limits.signs, used)).toBeLessThan(limits.signs)
})

interface Rate {
  readonly limit: number
  readonly seconds: number
}
const daySeconds = 24 * 60 * 60
const waitSeconds = 120

/**
 * Lessons of 10,000 with a stranger in the waiting room two minutes after they were opened. 1,000 networks share the
 * codes among them, so that none is tried twice before all others; each uses all that its windows admit: the windows
 * begin with their first request, as the store counts them. @param opened when lessons open: seconds of the day
 */
function guessed({ limit, seconds }: Rate, opened: (random: () => number) => number): number {
  const random = mulberry(7)
  const openings = new Float64Array(1e6).fill(NaN)
  for (let lessons = 0; lessons < 10_000;) {
    const code = Number(newLessonCode((below) => Math.floor(random() * below)))
    if (!Number.isNaN(openings[code]!)) continue
    openings[code] = opened(random)
    lessons++
  }
  let code = 0
  let found = 0
  for (let start = 0; start < daySeconds; start += seconds)
    for (let guess = 0; guess < limit * 1_000; guess++) {
      // one request of a network opens its window, the others come at its end: the largest burst with the next window
      const at = guess % limit === 0 ? start : start + seconds - 1
      code = (code + 611_953) % 1e6
      const since = at - openings[code]!
      if (!(since >= 0 && since <= waitSeconds)) continue
      found++
      openings[code] = NaN
    }
  return found
}

const { lessonCode: allowed } = furtherLimits
test.each([
  ['at any time of the day', allowed, (random: () => number) => random() * daySeconds, { most: 100 }],
  ['all in the second before the largest burst', allowed, () => 36_000 + allowed.seconds - 1, { most: 100 }],
  // how the same count looks with a limit that is too high
  [
    'at any time of the day, six times as often',
    { limit: 24, seconds: 120 },
    (random: () => number) => random() * daySeconds,
    { least: 101 },
  ],
] as const)(
  '10,000 lessons that open %s, and 1,000 networks that guess for a day',
  (_, rate, opened, { most, least }: { most?: number; least?: number }) => {
    const found = guessed(rate, opened)
    if (most !== undefined) expect(found).toBeLessThanOrEqual(most)
    if (least !== undefined) expect(found).toBeGreaterThanOrEqual(least)
    // far enough from zero that the count is one
    expect(found).toBeGreaterThan(10)
  },
)

/** Random numbers that are the same in each run. */
function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
