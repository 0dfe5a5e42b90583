import { MemberRole as RoleMessage } from '../../../gen/lrs/v1/members_pb.js'
import { memberRoles, type MemberRole } from '../rules/roles.ts'
import { byName } from '../../process/methods/enums.ts'

export const roleMessages: Readonly<Record<MemberRole, RoleMessage>> = byName(RoleMessage)

export const roleOf = (message: RoleMessage): MemberRole | undefined =>
  memberRoles.find((role) => roleMessages[role] === message)

export const membershipMessage = <Of extends { readonly role: MemberRole }>({ role, ...of }: Of) => ({
  ...of,
  role: roleMessages[role],
})
