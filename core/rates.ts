import type { XapiAction } from '../shared/rest.ts'

/** Calls of games that do the same, in the last minute. */
export interface Rate {
  readonly call: XapiAction
  readonly count: number
  /** Of those, refused or failed. */
  readonly failed: number
}

const seconds = 60

interface Counts {
  readonly count: Uint32Array
  readonly failed: Uint32Array
  /** Second of the last entry. */
  last: number
}

/** Counts calls of games by what they do, for each second. There are few kinds. @param now milliseconds */
export function rates(now: () => number = Date.now) {
  const calls = new Map<XapiAction, Counts>()

  /** Empties the seconds that have passed since. */
  function forward(counts: Counts): number {
    const second = Math.floor(now() / 1000)
    for (let at = Math.max(counts.last + 1, second - seconds + 1); at <= second; at++)
      counts.count[at % seconds] = counts.failed[at % seconds] = 0
    counts.last = second
    return second % seconds
  }

  return {
    note(call: XapiAction, failed: boolean): void {
      let counts = calls.get(call)
      if (!counts)
        calls.set(call, (counts = { count: new Uint32Array(seconds), failed: new Uint32Array(seconds), last: 0 }))
      const at = forward(counts)
      counts.count[at]!++
      if (failed) counts.failed[at]!++
    },
    /** The counted calls, the most frequent first. */
    lastMinute(): Rate[] {
      const sum = (of: Uint32Array) => of.reduce((total, one) => total + one, 0)
      const all = [...calls].map(
        ([call, counts]) => (forward(counts), { call, count: sum(counts.count), failed: sum(counts.failed) }),
      )
      return all.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count)
    },
  }
}

export type Rates = ReturnType<typeof rates>
