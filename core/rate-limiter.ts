import { buckets, windowSeconds, type Bucket } from './limits.ts'

export interface RateLimiterOptions {
  /** Multiplies every figure of the table; 1 or more, because the table is a guaranteed floor. */
  readonly factor: number
  /** Windows that may be open at once; beyond that the oldest is forgotten, which only ever allows more. */
  readonly windows: number
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number
}

/** Fixed windows, by a clock that nobody sets: each starts with its first request and ends in full 60 seconds later. Counted in this process. */
export function rateLimiter({ factor, windows, now = () => performance.now() }: RateLimiterOptions) {
  // In the order in which windows started, so the first ones are the first to end.
  const open = new Map<string, { count: number; ends: number }>()

  function forget(time: number): void {
    for (const [key, { ends }] of open) {
      if (ends > time && open.size < windows) break
      open.delete(key)
    }
  }

  return {
    /** Counts one request; false when the window is used up. */
    take(bucket: Bucket, owner: string): boolean {
      const key = `${bucket} ${owner}`
      const time = now()
      const window = open.get(key)
      if (window && window.ends > time) return ++window.count <= buckets[bucket].limit * factor
      open.delete(key)
      forget(time)
      open.set(key, { count: 1, ends: time + windowSeconds * 1000 })
      return true
    },
    /** Milliseconds until the window ends. */
    left: (bucket: Bucket, owner: string): number => Math.max(0, (open.get(`${bucket} ${owner}`)?.ends ?? 0) - now()),
    get size() {
      return open.size
    },
  }
}

export type RateLimiter = ReturnType<typeof rateLimiter>
