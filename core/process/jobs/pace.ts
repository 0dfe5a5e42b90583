import { setTimeout } from 'node:timers/promises'

/** Milliseconds of work so far, by cell. */
export type Busy = () => ReadonlyMap<number, number>

/** Share of the time above which those who work have no room left. */
const full = 0.75
/** Milliseconds that are looked at, one after the other, for such room. */
const lookMs = 50
/** A rest is at most this many times as long as what was done before it. */
const longest = 9

/**
 * Does work that others must not wait for, step by step. After a step it rests until the others, who are busy with each
 * cell for so long, leave room in all cells. Where they never do, it takes a tenth of the time.
 */
export function paceOf(busy: Busy, wait: (ms: number) => Promise<unknown> = setTimeout, now = () => performance.now()) {
  function look() {
    const [began, before] = [now(), busy()]
    /** Whether a cell was busy all the time since. */
    return (): boolean => {
      const most = (now() - began) * full
      return [...busy()].some(([cell, ms]) => ms - (before.get(cell) ?? 0) > most)
    }
  }
  return async <Result>(step: () => Promise<Result>): Promise<Result> => {
    const began = now()
    let isFull = look()
    const result = await step()
    const ends = now() + (now() - began) * longest
    while (isFull() && now() < ends) {
      isFull = look()
      await wait(lookMs)
    }
    return result
  }
}

export type Pace = ReturnType<typeof paceOf>
