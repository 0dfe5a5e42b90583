import { expect, test } from 'vitest'
import { trendOf } from '../parts/trend.ts'

test.each([
  [120, 100, '▲ 20 % more than in 30 days before'],
  [50, 100, '▼ 50 % fewer than in 30 days before'],
  [1000, 1001, 'as before'],
  [5, 0, ''],
])('%i after %i: %s', (now, before, expected) => {
  const trend = trendOf(now, before, '30 days')
  expect((trend ? trend.text : '').replaceAll(/<[^>]*>/g, '')).toBe(expected)
})
