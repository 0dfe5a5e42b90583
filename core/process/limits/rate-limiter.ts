import { buckets, windowSeconds, type Bucket } from '../../../shared/limits.ts'

export interface RateLimiterOptions {
  /** Multiplies every figure of the table; 1 or more, because the table is a guaranteed floor. */
  readonly factor: number
  /** Most open windows. Beyond it the limiter drops the oldest window, which only ever allows more. */
  readonly windows: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/** The windows in which a request counts. */
export interface Counted {
  readonly bucket: Bucket
  readonly owner: string
  /** Windows that count instead of the bucket while none of them is used up; the narrowest first. */
  readonly allowance?: readonly { readonly owner: string; readonly limit: number }[]
}

/** Fixed windows: each starts with its first request and ends 60 seconds later. Each process counts by itself. */
export function rateLimiter({ factor, windows, now = () => performance.now() }: RateLimiterOptions) {
  // In the order in which windows started, so the first ones are the first to end.
  const open = new Map<string, { count: number; ends: number }>()

  function forget(time: number): void {
    for (const [key, { ends }] of open) {
      if (ends > time && open.size < windows) break
      open.delete(key)
    }
  }

  /** Counts one request; 0: it fits; otherwise milliseconds until the window ends. */
  function count(key: string, limit: number): number {
    const time = now()
    const window = open.get(key)
    if (window && window.ends > time) return ++window.count <= limit * factor ? 0 : window.ends - time
    open.delete(key)
    forget(time)
    open.set(key, { count: 1, ends: time + windowSeconds * 1000 })
    return 0
  }

  return {
    /** Counts one request; 0: admitted; otherwise milliseconds for which requests of these windows are refused. */
    take({ bucket, owner, allowance = [] }: Counted): number {
      let free = Infinity
      for (const { owner, limit } of allowance) if ((free = count(`${bucket} ${owner}`, limit)) > 0) break
      return free === 0 ? 0 : Math.min(free, count(`${bucket} ${owner}`, buckets[bucket].limit))
    },
    get size() {
      return open.size
    },
  }
}

export type RateLimiter = ReturnType<typeof rateLimiter>
