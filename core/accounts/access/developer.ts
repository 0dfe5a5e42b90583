import { hashSecret } from '../../process/secret.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Tester } from '../../games/store/launches.ts'
import type { Developer, Person } from '../store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { covers, type MemberRole } from '../rules/roles.ts'
import { needsFactor, type SecondFactorPolicy } from '../../process/config/second-factor.ts'
import { say } from '../../../shared/say.ts'

/**
 * The account of a session. @throws Refusal 'unauthenticated'
 * @param mail mails are sent, so some rights wait until the address is verified
 */
export async function personOf(store: Pick<Store, 'studioSessions'>, session: string, mail: boolean): Promise<Person> {
  const person = session === '' ? undefined : await store.studioSessions.find(hashSecret(session))
  if (!person) throw new Refusal('unauthenticated', 'Sign in first: the session has ended.', { subject: 'session' })
  return withWaiting(person, mail)
}

/** The account with the rights that do not wait for its address to be verified. */
export function withWaiting(person: Omit<Person, 'waits' | 'waiting'>, mail: boolean): Person {
  const waits = mail && !person.verified
  const waiting = waits ? (['admin', 'reviewer'] as const).filter((right) => person[right]) : []
  return { ...person, waits, waiting, reviewer: person.reviewer && !waits, admin: person.admin && !waits }
}

/** Whether the account has to set up a second factor before anything else. */
export const lacksFactor = (person: Person, policy: SecondFactorPolicy): boolean =>
  !person.hasFactor && needsFactor(policy, person)

/** @throws Refusal 'forbidden' */
export function requireFactor(person: Person, policy: SecondFactorPolicy): void {
  if (!lacksFactor(person, policy)) return
  throw new Refusal('forbidden', 'This account needs a second factor: set one up first.', { subject: 'second-factor' })
}

/** A finder of an open session cannot change what signs in later. @throws Refusal 'forbidden' */
export function requireFresh({ isFresh }: Person): void {
  if (!isFresh) throw new Refusal('forbidden', 'Confirm first that it is you.', { subject: 'confirmation' })
}

/** @throws Refusal 'forbidden' unless the account has this role, or a higher one, where its session works for */
export function requireRole(person: Person, needed: MemberRole | 'member'): Developer {
  const { role, kind } = person
  if (person.isSuspended)
    throw new Refusal('forbidden', 'This studio is suspended by the operator of this service. Its data stays.')
  if (role === null || kind === null)
    throw new Refusal('forbidden', 'Your account belongs to no studio. Make one, or ask a studio to invite you.')
  if (person.waits && (role !== 'owner' || kind === 'school'))
    throw new Refusal('forbidden', 'Verify your e-mail address first: your account page can send you a link.')
  if (needed === 'member' || covers(kind, role, needed)) return person as Developer
  throw new Refusal('forbidden', say`You are ${called[role]} of this ${kind}. Only ${lists[needed]} may do this.`)
}

export const called: Record<MemberRole, string> = {
  analyst: 'an analyst',
  developer: 'a developer',
  owner: 'an owner',
  observer: 'an observer',
  teacher: 'a teacher',
}
const lists: Record<MemberRole, string> = {
  analyst: 'members of a studio',
  developer: 'developers and owners of a studio',
  owner: 'its owners',
  observer: 'members of a school',
  teacher: 'teachers and owners of a school',
}

/** Whose games a person may try: those of the studio, as a developer or owner; those in review, as a reviewer. */
export const tester = ({ studio, role, kind, reviewer }: Person): Tester => ({
  studio: role !== null && kind !== null && covers(kind, role, 'developer') ? studio : null,
  reviewer,
  operator: false,
})

/** The account's studio, or the account itself if it has none: what counts for limits by developer. */
export const countedAs = ({ studioId, accountId }: Person): string => studioId ?? accountId
