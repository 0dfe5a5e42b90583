import { MemberRole as RoleMessage, OrganisationKind as KindMessage } from '../../../gen/lrs/v1/members_pb.js'
import { memberRoles, type MemberRole, type OrganisationKind } from '../rules/roles.ts'
import { byName } from '../../process/methods/enums.ts'

export const roleMessages: Readonly<Record<MemberRole, RoleMessage>> = byName(RoleMessage)

export const roleOf = (message: RoleMessage): MemberRole | undefined =>
  memberRoles.find((role) => roleMessages[role] === message)

export const kindMessages: Readonly<Record<OrganisationKind, KindMessage>> = byName(KindMessage)

/** A studio, unless it is said to be a school. */
export const kindOf = (message: KindMessage): OrganisationKind => (message === KindMessage.SCHOOL ? 'school' : 'studio')

export const membershipMessage = <Of extends { readonly role: MemberRole; readonly kind?: OrganisationKind }>({
  role,
  kind,
  ...of
}: Of) => ({ ...of, role: roleMessages[role], kind: kind && kindMessages[kind] })
