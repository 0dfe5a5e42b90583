import { setTimeout } from 'node:timers/promises'

/** Cells in which others work at this moment. */
export type Busy = () => Iterable<number>

/** How often it is looked whether others work, and how often they must not, for there to be room. */
const [looks, room] = [10, 3]
const lookMs = 5
/** A rest is at most this many times as long as what was done before it. */
const longest = 9

/**
 * Does work that others must not wait for, step by step. After a step it rests until the others leave room in each
 * cell. Where they never do, it takes a tenth of the time.
 */
export function paceOf(busy: Busy, wait: (ms: number) => Promise<unknown> = setTimeout, now = () => performance.now()) {
  async function isFull(): Promise<boolean> {
    const seen = new Map<number, number>()
    for (let n = 1; n <= looks; n++) {
      await wait(lookMs)
      for (const cell of busy()) seen.set(cell, (seen.get(cell) ?? 0) + 1)
      if (n - Math.max(0, ...seen.values()) >= room) return false
    }
    return true
  }
  return async <Result>(step: () => Promise<Result>): Promise<Result> => {
    const began = now()
    const result = await step()
    const ends = now() + (now() - began) * longest
    while (now() < ends && (await isFull()));
    return result
  }
}

export type Pace = ReturnType<typeof paceOf>
