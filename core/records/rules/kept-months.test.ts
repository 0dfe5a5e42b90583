import { expect, test } from 'vitest'
import { monthsBefore } from './kept-months.ts'

test.each([
  ['2026-11-22T18:00:00Z', 1, '2026-10-22'],
  ['2026-11-22T00:00:00Z', 12, '2025-11-22'],
  ['2026-03-31T23:59:59Z', 1, '2026-02-28'],
  ['2024-02-29T12:00:00Z', 12, '2023-02-28'],
  ['2026-01-15T12:00:00Z', 2, '2025-11-15'],
])('%s less %i months is the begin of %s', (now, months, day) => {
  expect(new Date(monthsBefore(Date.parse(now), months) / 1000).toISOString()).toBe(`${day}T00:00:00.000Z`)
})
