import { MemberRole as RoleMessage } from '../../../gen/lrs/v1/members_pb.js'
import { memberRoles, type MemberRole } from '../rules/roles.ts'

export const roleMessages: Record<MemberRole, RoleMessage> = {
  analyst: RoleMessage.ANALYST,
  developer: RoleMessage.DEVELOPER,
  owner: RoleMessage.OWNER,
}

export const roleOf = (message: RoleMessage): MemberRole | undefined =>
  memberRoles.find((role) => roleMessages[role] === message)

export const membershipMessage = <Of extends { readonly role: MemberRole }>({ role, ...of }: Of) => ({
  ...of,
  role: roleMessages[role],
})
