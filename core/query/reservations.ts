import type { Store } from '../store/store.ts'
import { ownersOf, type OwnerOf } from '../studio/reserved-prefix.ts'

export interface ReservationOptions {
  /** Milliseconds after which what is known is read anew, while it is used. */
  readonly renewMs: number
  /** Milliseconds after which it is used no more before it was read anew. */
  readonly longestMs: number
}

/**
 * Which activities are reserved, as this core knows it: in memory, so that a write asks no query. What is returned is
 * never older than the longest time; with many writes it is read ahead of that, and none of them waits.
 */
export function reservations(store: Store['reservations'], { renewMs, longestMs }: ReservationOptions, now: () => number = () => performance.now()) {
  let ownerOf: OwnerOf = () => undefined
  let changes = -1
  let readAt = -Infinity
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const began = now()
    const found = await store.read(changes)
    if (found.reservations) ownerOf = ownersOf(found.reservations)
    changes = found.changes
    readAt = began
  }
  const renew = (): Promise<void> => (reading ??= read().finally(() => (reading = undefined)))

  return {
    /** Who has reserved an activity. @throws Refusal when it is not known for too long */
    async owners(): Promise<OwnerOf> {
      const age = now() - readAt
      if (age > longestMs) await renew()
      // who comes when it has failed for too long is told
      else if (age > renewMs) renew().catch(() => {})
      return ownerOf
    },
  }
}

export type Reservations = ReturnType<typeof reservations>
