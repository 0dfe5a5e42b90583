import { MemberRole, OrganisationKind } from '../../../../gen/lrs/v1/members_pb.js'
import type { Html } from '../../../web/html.ts'
import type { Say } from '../../../web/say.ts'

/** The value of the texts `member.role` and `member.may`. */
const named = (role: MemberRole) => ({ role: MemberRole[role].toLowerCase() })
export const roleName = (say: Say, role: MemberRole): string => say.text('member.role', named(role))
export const roleRights = (say: Say, role: MemberRole): Html => say('member.may', named(role))

/** What a member of such an organisation can be, the one with the fewest rights first. */
export const rolesOf = (kind: OrganisationKind): readonly MemberRole[] =>
  kind === OrganisationKind.SCHOOL
    ? [MemberRole.OBSERVER, MemberRole.TEACHER, MemberRole.OWNER]
    : [MemberRole.ANALYST, MemberRole.DEVELOPER, MemberRole.OWNER]

/** In English, and the value of texts that differ between the two. */
export const kindName = (kind: OrganisationKind): string => (kind === OrganisationKind.SCHOOL ? 'school' : 'studio')

/** The choices of a form. */
export const roleChoices = (say: Say, roles: readonly MemberRole[]): { value: string; text: string }[] =>
  roles.map((role) => ({ value: String(role), text: roleName(say, role) }))
