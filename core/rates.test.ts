import { expect, test } from 'vitest'
import { rates } from './rates.ts'

test('counts the last minute, by call, and forgets what is older', () => {
  let now = 1_000_000
  const counted = rates(() => now)
  for (let n = 0; n < 3; n++) counted.note('GET /a', n === 0)
  counted.note('GET /b', true)
  expect(counted.lastMinute()).toEqual([
    { call: 'GET /a', count: 3, failed: 1 },
    { call: 'GET /b', count: 1, failed: 1 },
  ])
  now += 30_000
  counted.note('GET /b', false)
  now += 29_000
  expect(counted.lastMinute()).toEqual([
    { call: 'GET /a', count: 3, failed: 1 },
    { call: 'GET /b', count: 2, failed: 1 },
  ])
  now += 1_000
  expect(counted.lastMinute()).toEqual([{ call: 'GET /b', count: 1, failed: 0 }])
  now += 3_600_000
  expect(counted.lastMinute()).toEqual([])
})
