import { Refusal } from '../refusal.ts'
import type { Developer, Person } from '../store/directory/studio-sessions.ts'

/** A caller that looks at games or decides on them: an account with a session, or an admin. */
export type Visitor = Person | 'admin'

/** A caller for the games of one studio, or of all. */
export type Keeper = Developer | 'admin'

/** The same text for foreign and for unknown games, so nobody learns which exist. No game is foreign to an admin. */
export function noGame(visitor?: Visitor): Refusal {
  const message = visitor === 'admin' ? 'There is no game with this id.' : 'There is no such game, or it is not yours.'
  return new Refusal('not-found', message, { subject: 'game' })
}

/** @throws Refusal 'forbidden' */
export function requireReviewer(visitor: Visitor): void {
  if (visitor !== 'admin' && !visitor.reviewer)
    throw new Refusal('forbidden', 'Only reviewers and admins may do this: an admin can make an account a reviewer.')
}
