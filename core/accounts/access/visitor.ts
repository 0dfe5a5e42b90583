import { Refusal } from '../../process/refusal.ts'
import type { Developer, Person } from '../store/studio-sessions.ts'

/** A caller that looks at games or decides on them: an account with a session, or an admin. */
export type Visitor = Person | 'admin'

/** A caller for the games of one studio, or of all. */
export type Keeper = Developer | 'admin'

/** @throws Refusal 'forbidden' */
export function requireReviewer(visitor: Visitor): void {
  if (visitor !== 'admin' && !visitor.reviewer)
    throw new Refusal('forbidden', 'Only reviewers and admins may do this: an admin can make an account a reviewer.')
}
