import { MemberService, type OpenStudioRequest } from '../../../gen/lrs/v1/members_pb.js'
import { findInvitation } from '../access/find-invitation.ts'
import { deleteAccount, deleteStudio, keepAccount, keepStudio } from '../command/endings.ts'
import {
  acceptInvitation,
  handOver,
  inviteMember,
  leaveStudio,
  removeMember,
  revokeMemberInvitation,
  setMemberRole,
} from '../command/members.ts'
import { allowStudios, openStudio, switchStudio } from '../command/own-studios.ts'
import { kindOf, membershipMessage, roleOf } from './roles.ts'
import type { Person } from '../store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, account, member, roleIn, ofStudio, NotAudited } from '../../process/methods/audit-entries.ts'
import { byDeveloper, byPerson, developer } from '../../process/methods/developer.ts'

/** Members of studios, and the ends of accounts and studios; for the portal and for admins. */
export const memberService = service(MemberService, {
  listMembers: method({ right: 'member', audit: reads }, async (core, _request, context) => {
    const { studio, role } = await developer(core, context)
    const [members, invitations] = await Promise.all([
      core.store.members.list(studio),
      role === 'owner' ? core.store.memberInvitations.list(studio) : [],
    ])
    return { members: members.map(membershipMessage), invitations: invitations.map(membershipMessage) }
  }),
  inviteMember: method(
    { right: 'owner', audit: { action: 'member.invite', details: roleIn } },
    async (core, { role, email, senderIp, language }, context) =>
      inviteMember(core, await developer(core, context), roleOf(role), email, senderIp, language),
  ),
  revokeMemberInvitation: method(
    {
      right: 'owner',
      audit: {
        action: 'member.revoke-invitation',
        details: ({ invitationId }) => ({ invitation: invitationId }),
      },
    },
    byDeveloper(revokeMemberInvitation),
  ),
  getMemberInvitation: method({ right: 'public', audit: reads }, async ({ store }, { code }) => {
    return membershipMessage(await findInvitation(store, code))
  }),
  acceptMemberInvitation: method({ right: 'account', audit: ofStudio('member.join') }, byPerson(acceptInvitation)),
  setMemberRole: method(
    { right: 'owner', audit: { ...member('member.set-role'), details: roleIn } },
    async (core, { accountId, role, password }, context) =>
      setMemberRole(core, await developer(core, context), accountId, roleOf(role), password),
  ),
  removeMember: method({ right: 'owner', audit: member('member.remove') }, byDeveloper(removeMember)),
  handOver: method({ right: 'owner', audit: member('member.hand-over') }, byDeveloper(handOver)),
  leaveStudio: method({ right: 'member', audit: 'member.leave' }, byDeveloper(leaveStudio)),
  switchStudio: method(
    { right: 'account', audit: new NotAudited('It only chooses the studio for which the session works.') },
    byPerson(switchStudio),
  ),
  openStudio: method(
    { right: 'account', audit: ofStudio('studio.open') },
    byPerson((core: Core, who: Person, { studioName, kind }: OpenStudioRequest) =>
      openStudio(core, who, { studioName, kind: kindOf(kind) }),
    ),
  ),
  deleteStudio: method({ right: 'owner', audit: 'studio.delete' }, byDeveloper(deleteStudio)),
  keepStudio: method({ right: 'owner', audit: 'studio.keep' }, byDeveloper(keepStudio)),
  deleteAccount: method({ right: 'account', audit: 'account.delete' }, byPerson(deleteAccount)),
  keepAccount: method({ right: 'account', audit: 'account.keep' }, byPerson(keepAccount)),
  allowStudios: method(
    {
      right: 'admin',
      audit: { action: 'account.allow-studios', subject: account, details: ({ studios }) => ({ studios }) },
    },
    allowStudios,
  ),
})
