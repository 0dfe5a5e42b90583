import { expect, test, vi } from 'vitest'
import { rateLimiter } from './rate-limiter.ts'

test('200,000 learners do not make it grow without end, and nobody is refused below the floor', () => {
  let time = 0
  const limiter = rateLimiter({ factor: 1, windows: 1_000, now: () => time })
  let refused = 0
  for (let learner = 0; learner < 200_000; learner++) {
    if (learner % 2_000 === 0) time += 1_000
    if (limiter.take({ bucket: 'put-state', owner: `learner ${learner}` }) > 0) refused++
  }
  expect([refused, limiter.size]).toEqual([0, 1_000])
  // whoever comes again is counted from where the window is known, never from less
  for (let count = 0; count < 119; count++)
    expect(limiter.take({ bucket: 'put-state', owner: 'learner 199999' })).toBe(0)
  expect(limiter.take({ bucket: 'put-state', owner: 'learner 199999' })).toBeGreaterThan(0)
})

test('a clock of the machine that is set back by an hour keeps no window open', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  try {
    const limiter = rateLimiter({ factor: 1, windows: 10 })
    while (limiter.take({ bucket: 'put-state', owner: 'one' }) === 0);
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(61_000)
    expect(limiter.take({ bucket: 'put-state', owner: 'one' })).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('an allowance counts first, except for refused requests; a refusal holds until its first window ends', () => {
  let time = 0
  const limiter = rateLimiter({ factor: 1, windows: 100, now: () => time })
  const post = (learner: string) =>
    limiter.take({
      bucket: 'post-statements',
      owner: 'game',
      allowance: [
        { owner: learner, limit: 12 },
        { owner: 'network', limit: 20 },
      ],
    })
  const most = (learner: string) =>
    Array.from({ length: 200 }, () => post(learner)).filter((refusedFor) => refusedFor === 0).length
  expect(most('ann')).toBe(12 + 120)
  time = 10_000
  // ben began later than ann; ann's requests beyond her allowance did not count for the network
  expect(most('ben')).toBe(8)
  expect([post('ann'), post('ben'), post('cid')]).toEqual([50_000, 50_000, 50_000])
  time = 60_000
  expect([most('ben'), post('cid')]).toEqual([120, 0])
})
