import { expect, test } from 'vitest'
import { rates } from './rates.ts'

test('counts the last minute, by call, and forgets what is older', () => {
  let now = 1_000_000
  const counted = rates(() => now)
  for (let n = 0; n < 3; n++) counted.note('read statements', n === 0)
  counted.note('store statements', true)
  expect(counted.lastMinute()).toEqual([
    { call: 'read statements', count: 3, failed: 1 },
    { call: 'store statements', count: 1, failed: 1 },
  ])
  now += 30_000
  counted.note('store statements', false)
  now += 29_000
  expect(counted.lastMinute()).toEqual([
    { call: 'read statements', count: 3, failed: 1 },
    { call: 'store statements', count: 2, failed: 1 },
  ])
  now += 1_000
  expect(counted.lastMinute()).toEqual([{ call: 'store statements', count: 1, failed: 0 }])
  now += 3_600_000
  expect(counted.lastMinute()).toEqual([])
})
