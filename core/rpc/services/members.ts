import type { ServiceImpl } from '@connectrpc/connect'
import type { MemberService } from '../../../gen/lrs/v1/members_pb.js'
import { findInvitation } from '../../access/find-invitation.ts'
import { deleteAccount, deleteStudio, keepAccount, keepStudio } from '../../command/accounts/endings.ts'
import {
  acceptInvitation,
  handOver,
  inviteMember,
  leaveStudio,
  removeMember,
  revokeMemberInvitation,
  setMemberRole,
} from '../../command/accounts/members.ts'
import { allowStudios, openStudio, switchStudio } from '../../command/accounts/own-studios.ts'
import type { Core } from '../../context.ts'
import type { MemberInvitation } from '../../store/directory/member-invitations.ts'
import { developer, person } from './developer.ts'
import { roleMessages, roleOf } from '../access/roles.ts'

/** Members of studios, and the ends of accounts and studios; for the portal and for admins. */
export function memberService(core: Core): ServiceImpl<typeof MemberService> {
  const { store } = core
  return {
    async listMembers(_request, context) {
      const { studio, role } = await developer(core, context)
      const [members, invitations] = await Promise.all([
        store.members.list(studio),
        role === 'owner' ? store.memberInvitations.list(studio) : [],
      ])
      return {
        members: members.map(({ role, joined, ...of }) => ({
          ...of,
          role: roleMessages[role],
          joined: BigInt(joined),
        })),
        invitations: invitations.map(invitationMessage),
      }
    },
    inviteMember: async ({ role, email, senderIp }, context) =>
      inviteMember(core, await developer(core, context), roleOf(role), email, senderIp),
    async revokeMemberInvitation({ invitationId }, context) {
      await revokeMemberInvitation(store, await developer(core, context), invitationId)
      return {}
    },
    async getMemberInvitation({ code }) {
      const { studioName, role, expires } = await findInvitation(store, code)
      return { studioName, role: roleMessages[role], expires: BigInt(expires) }
    },
    acceptMemberInvitation: async ({ code }, context) => ({
      studioId: await acceptInvitation(core, await person(core, context), code),
    }),
    async setMemberRole({ accountId, role, password }, context) {
      await setMemberRole(core, await developer(core, context), accountId, roleOf(role), password)
      return {}
    },
    async removeMember({ accountId, password }, context) {
      await removeMember(core, await developer(core, context), accountId, password)
      return {}
    },
    async handOver({ accountId, password }, context) {
      await handOver(core, await developer(core, context), accountId, password)
      return {}
    },
    async leaveStudio(_request, context) {
      await leaveStudio(core, await developer(core, context))
      return {}
    },
    async switchStudio({ studioId }, context) {
      await switchStudio(store, await person(core, context), studioId)
      return {}
    },
    openStudio: async ({ studioName }, context) => ({
      studioId: await openStudio(store, await person(core, context), studioName),
    }),
    async deleteStudio(request, context) {
      await deleteStudio(core, await developer(core, context), request)
      return {}
    },
    async keepStudio(_request, context) {
      await keepStudio(core, await developer(core, context))
      return {}
    },
    async deleteAccount(request, context) {
      await deleteAccount(core, await person(core, context), request)
      return {}
    },
    async keepAccount(_request, context) {
      await keepAccount(store, await person(core, context))
      return {}
    },
    async allowStudios({ email, studios }) {
      await allowStudios(store, email, studios)
      return {}
    },
  }
}

const invitationMessage = ({ role, created, expires, ...of }: MemberInvitation) => ({
  ...of,
  role: roleMessages[role],
  created: BigInt(created),
  expires: BigInt(expires),
})
