/** Values are counted in buckets: bucket n has those from `edges[n]` up to below `edges[n + 1]`. */
export interface Scale {
  readonly edges: readonly number[]
  /** Edges of the bars of a chart; each is also one of a bucket. The last bar has no upper end. */
  readonly bars: readonly number[]
}

const steps = 200
const scoreEdges = Array.from({ length: 2 * steps + 1 }, (_, n) => (n - steps) / steps)

/** -1 to 1, in steps of 0.005. */
export const scoreScale: Scale = {
  edges: scoreEdges,
  bars: Array.from({ length: 10 }, (_, n) => (n === 0 ? -1 : scoreEdges[steps + 20 * n]!)),
}

const barSeconds = [0, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600]
const timeBars = barSeconds.map((seconds) => seconds * 1_000)

/** Milliseconds of a day, in steps of 2 %, so that the middle of a bucket is within 1 % of each of its values. */
export const timeScale: Scale = { edges: timeEdges(24 * 60 * 60 * 1_000), bars: timeBars }

function timeEdges(longest: number): number[] {
  // the last bucket ends, too
  const edges = new Set([...timeBars, longest + 1])
  for (let edge = 0; edge <= longest; edge = Math.max(edge + 1, Math.floor(edge * 1.02))) edges.add(edge)
  return [...edges].toSorted((a, b) => a - b)
}

/** The bucket of a value. */
export function bucketOf({ edges }: Scale, value: number): number {
  let low = 0
  for (let high = edges.length; high - low > 1;) {
    const middle = (low + high) >> 1
    if (edges[middle]! <= value) low = middle
    else high = middle
  }
  return low
}

/** Counts by bucket. */
export type Buckets = Map<number, number>

export function addTo(buckets: Buckets, bucket: number, count: number): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + count)
}

/** Adds what `packed` has. */
export function unpackInto(buckets: Buckets, packed: Buffer): void {
  for (let at = 0; at < packed.length; at += 6) addTo(buckets, packed.readUInt16LE(at), packed.readUInt32LE(at + 2))
}

/** Six bytes for each bucket with a count. */
export function pack(buckets: Buckets): Buffer {
  const counted = [...buckets].filter(([, count]) => count > 0)
  const packed = Buffer.alloc(counted.length * 6)
  for (const [n, [bucket, count]] of counted.entries()) {
    packed.writeUInt16LE(bucket, n * 6)
    packed.writeUInt32LE(count, n * 6 + 2)
  }
  return packed
}

/** Counts of all buckets of a scale. */
export type Counts = Float64Array

export const noCounts = ({ edges }: Scale): Counts => new Float64Array(edges.length)

/** Adds what `packed` has. */
export function countIn(counts: Counts, packed: Buffer): void {
  for (let at = 0; at < packed.length; at += 6) counts[packed.readUInt16LE(at)]! += packed.readUInt32LE(at + 2)
}

export const sumOf = (counts: Counts): number => counts.reduce((sum, count) => sum + count, 0)

/** Where a quartile is: `rank` values of its bucket come before it, in order. */
export interface Place {
  readonly bucket: number
  readonly rank: number
  /** Values in the bucket. */
  readonly size: number
}

/** The places of the three quartiles, as in SQL's percentile_disc; empty: there are no values. */
export function quartiles(counts: Counts): Place[] {
  const count = sumOf(counts)
  if (count === 0) return []
  return [1, 2, 3].map((quarter) => {
    let rank = Math.ceil((quarter * count) / 4) - 1
    const bucket = counts.findIndex((size) => {
      if (rank < size) return true
      rank -= size
      return false
    })
    return { bucket, rank, size: counts[bucket]! }
  })
}

/** The middle of a bucket. */
export const middleOf = ({ edges }: Scale, bucket: number): number =>
  (edges[bucket]! + (edges[bucket + 1] ?? edges[bucket]!)) / 2

/** Counts of the bars of a chart. */
export function barsOf({ edges, bars }: Scale, counts: Counts): number[] {
  const sums = bars.map(() => 0)
  let bar = 0
  for (const [bucket, count] of counts.entries()) {
    while (bar + 1 < bars.length && bars[bar + 1]! <= edges[bucket]!) bar++
    sums[bar]! += count
  }
  return sums
}
