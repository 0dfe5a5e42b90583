import { expect, test } from 'vitest'
import { paceOf } from './pace.ts'

/**
 * Milliseconds of 20 works of 300 ms. Others can do 10 a millisecond, and 5 beside them.
 * @param rate at which something for them comes
 */
async function timeOf(rate: number): Promise<number> {
  let [time, came, sum] = [0, 0, 0]
  const pass = async (ms: number, most: number) => {
    time += ms
    came += ms * rate
    sum = Math.min(came, sum + ms * most)
  }
  const inTurn = paceOf(
    () => sum,
    (ms) => pass(ms, 10),
    () => time,
  )
  for (let n = 0; n < 20; n++) await inTurn(() => pass(300, 5))
  return time
}

test.each<[what: string, rate: number, most: number]>([
  ['nobody writes', 0, 300],
  ['writers who come at a rate below what there is room for', 4, 400],
  ['those who have to catch up after it', 6, 500],
  ['writers at full speed lose a twentieth', Infinity, 3_000],
])('%s: each work takes so many milliseconds with its rest', async (_, rate, most) => {
  expect((await timeOf(rate)) / 20).toBe(most)
})
