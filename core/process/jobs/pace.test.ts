import { expect, test } from 'vitest'
import { paceOf } from './pace.ts'

const [step, steps] = [100, 20]

/** Milliseconds of 20 steps of 100 ms. @param shares of the time that others are busy, by cell, during steps and rests */
async function timeOf(inSteps: readonly number[], inRests = inSteps): Promise<number> {
  let time = 0
  const sums = new Map<number, number>()
  const pass = async (ms: number, shares: readonly number[]) => {
    time += ms
    for (const [cell, share] of shares.entries()) sums.set(cell, (sums.get(cell) ?? 0) + ms * share)
  }
  const inTurn = paceOf(
    () => new Map(sums),
    (ms) => pass(ms, inRests),
    () => time,
  )
  for (let n = 0; n < steps; n++) await inTurn(() => pass(step, inSteps))
  return time
}

test.each<[what: string, inSteps: number[], inRests: number[], ms: number]>([
  ['nobody writes', [], [], steps * step],
  ['two cells with half of their time', [0.5, 0.5], [0.5, 0.5], steps * step],
  ['who writes waits for the steps only', [1], [0.5], steps * (step + 50)],
  ['writers of one cell leave no room', [0, 1], [0, 1], steps * step * 10],
])('%s: work goes on until all is done in so many milliseconds', async (_, inSteps, inRests, ms) => {
  expect(await timeOf(inSteps, inRests)).toBe(ms)
})
