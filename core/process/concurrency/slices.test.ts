import { expect, test } from 'vitest'
import { inSlices } from './slices.ts'

test.each([
  ['many small ones', Array(1_000).fill(10), 4],
  ['a few large ones', Array(5).fill(200 * 1024), 4],
  ['one that is larger than a slice', [9, 2 * 1024 * 1024, 9], 2],
  ['few', [1, 2, 3], 0],
])('others have their turn between slices: %s', async (_name, lengths: number[], turns) => {
  let turn = 0
  const other = (): void => {
    turn++
    waiting = setImmediate(other)
  }
  let waiting = setImmediate(other)
  const turnOf = await inSlices(
    lengths,
    (length) => length,
    () => turn,
  )
  clearImmediate(waiting)
  expect(turnOf).toHaveLength(lengths.length)
  expect(new Set(turnOf).size - 1).toBe(turns)
})
