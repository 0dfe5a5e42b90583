import { setTimeout } from 'node:timers/promises'

/** What others have done so far, in whatever unit. */
export type Done = () => number

/** Milliseconds of a look at how much others do while they have the machine for themselves. */
const lookMs = 100
/** What they shall do at least, in parts of that. */
const enough = 0.95
/** A rest is at most this many times as long as what was done before it. */
const longest = 9

/**
 * Does work that others must not wait for. After it this rests until others have done, since the work began, nearly as
 * much as if it had not been. Others who come at a rate of their own catch up at once. To those who do as much as they
 * can it leaves most of the time.
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
