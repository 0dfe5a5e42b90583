import { turns } from '../concurrency/fair-queue.ts'

/** Most pages of one caller under way, until the gateway has them; further ones wait. */
const ofCaller = 5
/** A caller whose last page had more bytes has one page under way; all such callers have two together. */
const heavyBytes = 1024 * 1024
/** Most callers that are remembered for large pages. */
const mostHeavy = 1000
/** Milliseconds that pages wait: as long as for a connection, and large ones while a gateway still does (10 s). */
const patience = { usual: 2_000, heavy: 8_000 }

/** Heavy readers wait for their own pages and do not delay others: the caller who used the least time comes first. */
export function pageTurns() {
  const readers = turns({ atOnceOfOne: ofCaller, waitingOfOne: 1_000, patience: patience.usual })
  const heavyReaders = turns({ atOnce: 2, atOnceOfOne: 1, waitingOfOne: 1_000, patience: patience.heavy })
  const heavy = new Set<string>()

  function note(caller: string, bytes: number): void {
    heavy.delete(caller)
    if (bytes > heavyBytes && heavy.add(caller).size > mostHeavy) heavy.delete(heavy.values().next().value!)
  }

  return {
    /** Refuses all pages that wait. */
    refuse(error: unknown): void {
      readers.refuse(error)
      heavyReaders.refuse(error)
    },
    /** @param read reads a page, sends it and returns its bytes. @throws Refusal 'unavailable' */
    take: (caller: string, read: () => Promise<number>): Promise<void> =>
      (heavy.has(caller) ? heavyReaders : readers).take(caller, async () => note(caller, await read())),
  }
}
