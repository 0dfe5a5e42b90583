import { expect, test } from 'vitest'
import type { Caller } from '../../records/access/caller.ts'
import { byteAllowance } from './byte-allowance.ts'
import { buckets, sentBytes, sizes } from '../../../shared/limits.ts'

const MiB = 1024 * 1024

function allowance({ windows = 1_000, factor = 1, largest = 32 * MiB } = {}) {
  let time = 0
  const bytes = byteAllowance({ factor, largest, windows, now: () => time })
  /** MiB that are admitted when a learner sends pieces of 1 MiB. */
  function send(learner: string, pieces: number, network?: string): number {
    const caller = {
      key: 'game',
      learner: { registration: learner, agent: 'a', actor: '', network },
    } as unknown as Caller
    let passed = 0
    for (let n = 0; n < pieces; n++) {
      try {
        bytes.take(caller, MiB)
        passed++
      } catch {}
    }
    return passed
  }
  return { bytes, send, wait: (ms: number) => void (time += ms) }
}

test('a launch token has a limit in each window, key and secret have none', () => {
  const { bytes, send, wait } = allowance()
  expect(send('one', 1_000) * MiB).toBe(sentBytes.session)
  expect(() => bytes.take({ key: 'game' }, 10 * sentBytes.game)).not.toThrow()
  wait(59_999)
  expect(send('one', 1)).toBe(0)
  wait(1)
  expect(send('one', 1)).toBe(1)
})

test('all documents that the request limits admit are within it', () => {
  const most = (['put-state', 'activity-profile', 'agent-profile'] as const).reduce(
    (sum, name) => sum + buckets[name].limit * sizes.document,
    0,
  )
  expect(sentBytes.session).toBeGreaterThanOrEqual(most)
})

test('learners who flood share a limit and do not stop those who send little', () => {
  const { send } = allowance()
  let flood = 0
  for (let n = 0; n < 20; n++) flood += send(`flood ${n}`, 1_000) * MiB
  expect(flood).toBe(sentBytes.game + 20 * sentBytes.share)
  expect(send('honest', 1_000) * MiB).toBe(sentBytes.share)
})

test('a network with many sessions has the limit of a class, and others still send', () => {
  const { send } = allowance({ windows: 2_000 })
  let flood = 0
  for (let n = 0; n < 1_000; n++) flood += send(`flood ${n}`, 50, 'one network') * MiB
  expect(flood).toBe(sentBytes.game + sentBytes.network)
  expect(send('honest', 1_000, 'another network') * MiB).toBe(sentBytes.share)
})

test('the largest request fits', () => expect(allowance({ largest: 500 * MiB }).send('one', 1_000)).toBe(500))

test('a factor multiplies all limits', () => {
  expect(allowance({ factor: 2 }).send('one', 1_000) * MiB).toBe(2 * sentBytes.session)
})

test('a million learners do not make it grow without end', () => {
  const { bytes, send } = allowance({ windows: 100 })
  for (let n = 0; n < 1_000; n++) send(`${n}`, 1)
  expect(bytes.size).toBeLessThanOrEqual(101)
})
