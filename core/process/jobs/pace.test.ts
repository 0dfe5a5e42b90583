import { expect, test } from 'vitest'
import { paceOf } from './pace.ts'

/** Milliseconds of 20 steps of 100 ms. @param cells in which others work, at a time of so many milliseconds */
async function timeOf(cells: (ms: number) => number[]): Promise<number> {
  let time = 0
  const pass = async (ms: number) => void (time += ms)
  const inTurn = paceOf(
    () => cells(time),
    pass,
    () => time,
  )
  for (let n = 0; n < 20; n++) await inTurn(() => pass(100))
  return time
}

test.each<[what: string, cells: (ms: number) => number[], ms: number]>([
  ['nobody writes', () => [], 20 * (100 + 15)],
  ['two cells commit for half of the time, in turn', (ms) => [(ms / 5) % 2], 20 * (100 + 30)],
  ['writers of one cell leave no room', () => [2], 20 * (100 + 900)],
])('%s: all is done after so many milliseconds', async (_, cells, ms) => {
  expect(await timeOf(cells)).toBe(ms)
})
