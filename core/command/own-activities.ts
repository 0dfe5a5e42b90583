import type { Caller } from '../caller.ts'
import { Refusal } from '../refusal.ts'
import type { OwnerOf } from '../studio/reserved-prefix.ts'
import type { Prepared } from '../xapi/prepare.ts'

/** Another studio has reserved the activity. */
function isForeign(ownerOf: OwnerOf, { studio }: Caller, iri: string): boolean {
  const owner = ownerOf(iri)
  return owner !== undefined && owner !== studio
}

/** What the caller's statements tell, without what they say that another studio's activities are. */
export function withoutForeignDefinitions(ownerOf: OwnerOf, caller: Caller, prepared: Prepared): Prepared {
  const activities = prepared.activities.map((one) =>
    one.definition !== undefined && isForeign(ownerOf, caller, one.iri) ? { ...one, definition: undefined } : one)
  return { ...prepared, activities }
}

/** @throws Refusal 'forbidden' when another studio has reserved the activity */
export function requireOwnProfile(ownerOf: OwnerOf, caller: Caller, activityId: string): void {
  if (!isForeign(ownerOf, caller, activityId)) return
  throw new Refusal('forbidden', 'This activity is reserved for the games of another studio: only they change its profiles; everybody reads them.', { path: 'activityId' })
}
