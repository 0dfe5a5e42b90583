import type { Store } from '../../store.ts'
import { ownersOf, type OwnerOf } from '../rules/reserved-prefix.ts'

export interface ReservationOptions {
  /** Milliseconds after which the cache is read again. The old values stay in use meanwhile. */
  readonly renewMs: number
  /** Milliseconds after which the old values are not used any more. */
  readonly longestMs: number
}

/**
 * Caches the reservations in memory, so that a write needs no query. They are never older than `longestMs`; under
 * constant load they are read again earlier, and no write waits.
 */
export function reservations(
  store: Store['reservations'],
  { renewMs, longestMs }: ReservationOptions,
  now: () => number = () => performance.now(),
) {
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
    /** Finds the studio that has reserved an activity. @throws Refusal when the cache is too old and cannot be read */
    async owners(): Promise<OwnerOf> {
      const age = now() - readAt
      if (age > longestMs) await renew()
      // a failed reading counts once the cache is too old: then the caller gets its error
      else if (age > renewMs) renew().catch(() => {})
      return ownerOf
    },
  }
}

export type Reservations = ReturnType<typeof reservations>
