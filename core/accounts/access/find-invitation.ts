import { hashSecret } from '../../process/secret.ts'
import { Refusal } from '../../process/refusal.ts'
import type { OpenInvitation } from '../store/member-invitations.ts'
import type { Store } from '../../store.ts'

/** The invitation of a member by the code of its link. @throws Refusal 'not-found' */
export async function findInvitation(
  { memberInvitations }: Pick<Store, 'memberInvitations'>,
  code: string,
): Promise<OpenInvitation> {
  const invitation = await memberInvitations.byCode(hashSecret(code))
  if (!invitation) throw noInvitation()
  return invitation
}

export const noInvitation = () =>
  new Refusal(
    'not-found',
    'This invitation cannot be used: it was used already, it was revoked, or it is too old. Ask for another one.',
  )
