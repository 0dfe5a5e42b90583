import { expect, test } from 'vitest'
import { backOff } from './supervise.ts'

/** The delays after ends that follow each other at this distance, in seconds. */
function delays(ends: readonly boolean[], apart: number): number[] {
  let time = 0
  const delayAfter = backOff(() => (time += apart * 1_000))
  return ends.map(delayAfter)
}
const ready = (times: number) => Array.from({ length: times }, () => true)
const failed = (times: number) => Array.from({ length: times }, () => false)

test.each([
  ['killed five times in a minute: at once', ready(5), 3, [0, 0, 0, 0, 0]],
  ['killed each 15 s: at once', ready(8), 15, [0, 0, 0, 0, 0, 0, 0, 0]],
  ['ends each second after it was ready: with a pause', ready(8), 1, [0, 0, 0, 0, 0, 2_000, 2_000, 2_000]],
  ['never ready: later each time', failed(8), 1, [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]],
  ['ready after it failed: at once', [...failed(3), true, false], 1, [250, 500, 1_000, 0, 250]],
])('a part that is %s', (_, ends, apart, expected) => expect(delays(ends, apart)).toEqual(expected))
