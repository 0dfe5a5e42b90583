import { expect, test } from 'vitest'
import { bucketOf, countIn, middleOf, noCounts, pack, quartiles, scoreScale, timeScale } from './buckets.ts'
import { longest } from '../attempts.ts'

test('each time is in a bucket that has an end, and whose middle is within 1 % of it', () => {
  const times = [0, 1, 49, 50, 51, 999, 60_000, 85_980_000, longest - 1, longest]
  for (let time = 1; time < longest; time = Math.ceil(time * 1.003)) times.push(time)
  for (const time of times) {
    const bucket = bucketOf(timeScale, time)
    const [low, high] = [timeScale.edges[bucket]!, timeScale.edges[bucket + 1]!]
    expect(time, String(time)).toBeGreaterThanOrEqual(low)
    expect(time, String(time)).toBeLessThan(high)
    expect(Math.abs(middleOf(timeScale, bucket) - time), String(time)).toBeLessThanOrEqual(Math.max(1, time * 0.0101))
  }
})

test('scores of -1 to 1 are in buckets of 0.005, whose borders belong to the upper one', () => {
  expect([-1, -0.995, 0, 0.57, 1].map((score) => scoreScale.edges[bucketOf(scoreScale, score)])).toEqual([
    -1, -0.995, 0, 0.57, 1,
  ])
  expect(scoreScale.edges[bucketOf(scoreScale, 0.5749)]).toBe(0.57)
})

test('counts survive packing, and quartiles are those of percentile_disc', () => {
  const counts = noCounts(timeScale)
  countIn(
    counts,
    pack(
      new Map([
        [3, 2],
        [700, 100_000],
        [5, 0],
      ]),
    ),
  )
  countIn(counts, pack(new Map([[3, 1]])))
  expect([counts[3], counts[5], counts[700]]).toEqual([3, 0, 100_000])
  expect(quartiles(counts)[0]).toEqual({ bucket: 700, rank: 24_997, size: 100_000 })
  expect(quartiles(noCounts(timeScale))).toEqual([])
})
