import { expect, test, vi } from 'vitest'
import { rateLimiter } from './rate-limiter.ts'

test('a million learners do not make it grow without end, and nobody is refused below the floor', () => {
  let time = 0
  const limiter = rateLimiter({ factor: 1, windows: 1_000, now: () => time })
  let refused = 0
  for (let learner = 0; learner < 1_000_000; learner++) {
    if (learner % 10_000 === 0) time += 1_000
    if (!limiter.take('put-state', `learner ${learner}`)) refused++
  }
  expect([refused, limiter.size]).toEqual([0, 1_000])
  // whoever comes again is counted from where the window is known, never from less
  for (let count = 0; count < 119; count++) expect(limiter.take('put-state', 'learner 999999')).toBe(true)
  expect(limiter.take('put-state', 'learner 999999')).toBe(false)
})

test('a clock of the machine that is set back by an hour keeps no window open', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  try {
    const limiter = rateLimiter({ factor: 1, windows: 10 })
    while (limiter.take('put-state', 'one'));
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(61_000)
    expect(limiter.take('put-state', 'one')).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
