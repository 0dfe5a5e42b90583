import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import type { StudioAccount } from '../store/studios.ts'
import type { Membership } from '../store/members.ts'
import type { Person } from '../store/studio-sessions.ts'

/** The studio of a session, if the account has one, whether it can get no more messages, all studios to switch to, and news. */
export async function getAccount(
  { studios, studioMessages, studioSessions, members, notices }: Store,
  { account, studio, session, isSuspended }: Person,
): Promise<{
  own: StudioAccount | undefined
  messagesFull: boolean
  memberships: Membership[]
  unread: number
  /** Why the studio of the session is suspended. */
  suspendedNote: string
}> {
  const [own, messagesFull, memberships, unread, suspendedNote] = await Promise.all([
    studio === null ? undefined : studios.byId(studio),
    studio !== null && studioMessages.isFull(studio),
    members.of(account),
    notices.unread(account),
    isSuspended ? studioSessions.suspendedNote(session) : '',
  ])
  return { own, messagesFull, memberships, unread, suspendedNote }
}

/** A studio by its name in addresses, as everybody sees it. @throws Refusal 'not-found' */
export async function getPublicStudio({ studios }: Store, slug: string): Promise<StudioAccount> {
  const studio = await studios.bySlug(slug)
  if (!studio || studio.suspended || studio.kind === 'school')
    throw new Refusal('not-found', 'There is no such studio.')
  return { ...studio, ...studio.accepted }
}
