import { setTimeout } from 'node:timers/promises'

/** How much others have done so far, in any unit. */
export type Done = () => number

/** Milliseconds for which it measures how much others do alone. */
const lookMs = 100
/** The share of that which they have to reach. */
const enough = 0.95
/** A rest is at most this many times as long as what was done before it. */
const longest = 9

/**
 * Does work that others must not wait for, and rests after it. In the rest it measures how much others do alone. It goes
 * on when they have done nearly as much since the work began as they would have done without it. Others with a fixed
 * rate catch up at once; others at full speed get most of the time.
 */
export function paceOf(done: Done, wait: (ms: number) => Promise<unknown> = setTimeout, now = () => performance.now()) {
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const [began, before] = [now(), done()]
    const result = await work()
    const ends = now() + (now() - began) * longest
    let alone = Infinity
    while (done() > before && now() < ends && done() - before < (now() - began) * alone * enough) {
      const [at, sum] = [now(), done()]
      await wait(lookMs)
      alone = (done() - sum) / (now() - at)
    }
    return result
  }
}

export type Pace = ReturnType<typeof paceOf>
