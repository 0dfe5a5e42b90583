import { fairQueue } from '../../process/concurrency/fair-queue.ts'

/** Most pages of one caller that run until the gateway has them; further ones wait. */
const ofCaller = 5
/** A caller whose last page had more bytes runs one page at a time; all such callers together run two. */
const heavyBytes = 1024 * 1024
/** Most callers that are remembered for large pages. */
const maxHeavy = 1000
/** Milliseconds that pages wait: usual ones as for a connection, large ones less than a gateway waits (10 s). */
const maxWait = { usual: 2_000, heavy: 8_000 }

/** Callers of large pages wait for their own pages and do not delay others. */
export function pageQueues() {
  const usual = fairQueue({ concurrencyOfOne: ofCaller, maxWaitingOfOne: 1_000, maxWait: maxWait.usual })
  const large = fairQueue({ concurrency: 2, concurrencyOfOne: 1, maxWaitingOfOne: 1_000, maxWait: maxWait.heavy })
  const heavy = new Set<string>()

  function note(caller: string, bytes: number): void {
    heavy.delete(caller)
    if (bytes > heavyBytes && heavy.add(caller).size > maxHeavy) heavy.delete(heavy.values().next().value!)
  }

  return {
    /** Refuses all waiting pages. */
    refuse(error: unknown): void {
      usual.refuse(error)
      large.refuse(error)
    },
    /** @param read reads a page, sends it and returns its bytes. @throws Refusal 'unavailable' */
    run: (caller: string, read: () => Promise<number>): Promise<void> =>
      (heavy.has(caller) ? large : usual).run(caller, async () => note(caller, await read())),
  }
}
