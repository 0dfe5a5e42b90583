import type { Caller } from '../access/caller.ts'
import { Refusal } from '../../process/refusal.ts'
import type { OwnerOf } from '../rules/reserved-prefix.ts'
import type { Prepared } from '../xapi/prepare.ts'

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
