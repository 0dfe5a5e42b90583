import type { AuditActor, AuditDetails, Named, NewAuditEntry } from '../store/audit.ts'
import { networkShown } from '../../process/rules/network.ts'
import { excerpt } from '../../process/rules/text.ts'

/** Characters of a text that are kept. */
const longest = 200

/** An actor or subject, by an id of its kind: names and studio are looked up. */
export interface Subject extends Named {
  /** `studio`: id, slug or e-mail address; `account`: id or e-mail address; `credential`: its key. */
  readonly kind: 'game' | 'studio' | 'account' | 'credential' | 'prefix' | 'learner' | 'store' | 'token'
}

export interface Note extends Omit<NewAuditEntry, 'subject' | 'outcome' | 'details' | 'count'> {
  /** An account without an id is the subject: who has just signed in. */
  readonly actor: AuditActor
  readonly subject?: Subject
  /** Default: `ok`. */
  readonly outcome?: string
  readonly details?: AuditDetails
  /** Same ones within a minute become one entry. Refusals and what strangers do always are. */
  readonly counted?: boolean
}

export type CountedNote = Note & { readonly count: number }

/** The same with texts of a bounded length, and without what Postgres cannot store. */
export const bounded = ({ actor, subject, request, details, ...note }: Note): Note => ({
  ...note,
  actor: { ...actor, name: short(actor.name) },
  subject: subject && { ...subject, id: short(subject.id, 320), name: short(subject.name) },
  request: short(request, 64),
  details:
    details &&
    Object.fromEntries(
      Object.entries(details).map(([name, value]) => [name, typeof value === 'string' ? short(value) : value]),
    ),
})

/** The row, as far as it can be made without the database. A subject that may be just a stranger's text is left out. */
export function entryOf({
  action,
  actor,
  subject,
  studio,
  outcome = 'ok',
  address,
  request,
  details = {},
  count,
}: CountedNote): NewAuditEntry {
  const isGiven = subject?.kind === 'account' || subject?.kind === 'studio'
  return {
    action,
    actor,
    subject: isGiven ? undefined : subject,
    studio: studio ?? actor.studio,
    outcome,
    address: address && (actor.kind === 'stranger' ? networkShown(address) : address),
    request: count === 1 ? request : undefined,
    details,
    count,
  }
}

/** Postgres cannot store U+0000. */
function short(text: string | undefined, length = longest): string | undefined {
  return text && excerpt(text.toWellFormed().replaceAll('\0', '\ufffd'), length)
}
