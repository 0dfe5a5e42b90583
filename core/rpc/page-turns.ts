import { turns } from '../turns.ts'

/** Pages of one caller under way at a time, until the gateway has them; the others wait for those. */
const ofCaller = 5
/** Whose last page was larger than this has one at a time, of two such pages in all. */
const heavyBytes = 1024 * 1024
/** Callers of whom it is known that their pages are large. */
const mostHeavy = 1000
/** Milliseconds that pages wait: as long as for a connection, and large ones while a gateway still does (10 s). */
const patience = { usual: 2_000, heavy: 8_000 }

/** Who reads much waits for itself, and not others for them: places go to callers by the bytes and the time that their pages take. */
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
    /** @param read reads a page, gives it away and returns its bytes. @throws Refusal 'unavailable' */
    take: (caller: string, read: () => Promise<number>): Promise<void> =>
      (heavy.has(caller) ? heavyReaders : readers).take(caller, async () => note(caller, await read())),
  }
}
