import type { Caller } from '../access/caller.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import { ownersOf, type OwnerOf } from '../rules/reserved-prefix.ts'
import type { Prepared } from '../xapi/prepare.ts'
import { ours, say } from '../../../shared/say.ts'

/**
 * A learner may void only their own statements: stored ones, and those of the same request. A statement that is not
 * stored yet may come from another learner.
 * @throws Refusal 'forbidden' (xAPI 1.0.3 Data 2.3.2)
 */
export async function requireVoidable(
  store: Pick<Store, 'statements'>,
  { game, learner }: Caller,
  { statements }: Prepared,
): Promise<void> {
  const voiding = statements.filter(({ voids, target }) => voids && target !== undefined)
  if (!learner || voiding.length === 0) return
  const actors = await store.statements.actorsOf(
    game,
    voiding.map(({ target }) => target!),
  )
  const own = new Set(statements.map(({ id }) => id))
  for (const { target } of voiding) {
    const actor = actors.get(target!)
    if (actor === undefined ? own.has(target!) : actor === learner.agent) continue
    const others = "The game's key and secret void every statement of the game."
    throw new Refusal(
      'forbidden',
      say`A launch token voids statements of its own learner that are stored; ${target!} is not one of them. ${ours(others)}`,
    )
  }
}

/** Whether another studio has reserved the activity. */
function isForeign(ownerOf: OwnerOf, { studio }: Caller, iri: string): boolean {
  const owner = ownerOf(iri)
  return owner !== undefined && owner !== studio
}

/** The definitions from the caller's statements, without those of activities that another studio has reserved. */
export function withoutForeignDefinitions(ownerOf: OwnerOf, caller: Caller, prepared: Prepared): Prepared {
  const activities = prepared.activities.map((one) =>
    one.definition !== undefined && isForeign(ownerOf, caller, one.iri) ? { ...one, definition: undefined } : one,
  )
  return { ...prepared, activities }
}

/** @throws Refusal 'forbidden' when another studio has reserved the activity */
export function requireOwnProfile(ownerOf: OwnerOf, caller: Caller, activityId: string): void {
  if (!isForeign(ownerOf, caller, activityId)) return
  throw new Refusal(
    'forbidden',
    'Another studio has reserved this activity: only its games may change the profiles, all games may read them.',
    { path: 'activityId' },
  )
}

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
