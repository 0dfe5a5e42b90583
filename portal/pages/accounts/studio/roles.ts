import { MemberRole, OrganisationKind } from '../../../../gen/lrs/v1/members_pb.js'

/** What a member may do, in words. */
export const roleNames: Record<MemberRole, string> = {
  [MemberRole.UNSPECIFIED]: '',
  [MemberRole.ANALYST]: 'Analyst',
  [MemberRole.DEVELOPER]: 'Developer',
  [MemberRole.OWNER]: 'Owner',
  [MemberRole.OBSERVER]: 'Observer',
  [MemberRole.TEACHER]: 'Teacher',
}

export const roleRights: Record<MemberRole, string> = {
  [MemberRole.UNSPECIFIED]: '',
  [MemberRole.ANALYST]: 'sees the games and their data, and changes nothing',
  [MemberRole.DEVELOPER]: 'makes games: texts, builds, sandbox, secrets, invitations of learners, messages',
  [MemberRole.OWNER]: 'makes games, decides on members, and on the end of the studio',
  [MemberRole.OBSERVER]: 'sees classes and results, without names',
  [MemberRole.TEACHER]: 'has classes, gives lessons, sees results',
}

/** What a member of such an organisation can be, the one with the fewest rights first. */
export const rolesOf = (kind: OrganisationKind): readonly MemberRole[] =>
  kind === OrganisationKind.SCHOOL
    ? [MemberRole.OBSERVER, MemberRole.TEACHER, MemberRole.OWNER]
    : [MemberRole.ANALYST, MemberRole.DEVELOPER, MemberRole.OWNER]

export const kindName = (kind: OrganisationKind): string => (kind === OrganisationKind.SCHOOL ? 'school' : 'studio')

/** The choices of a form. */
export const roleChoices = (roles: readonly MemberRole[]): { value: string; text: string }[] =>
  roles.map((role) => ({ value: String(role), text: roleNames[role] }))

/** What the roles of a choice may do. */
export const roleHint = (kind: OrganisationKind): string =>
  kind === OrganisationKind.SCHOOL
    ? 'An observer sees classes and results, without names. A teacher also has classes and gives lessons. An owner also decides on members.'
    : 'An analyst sees the games and their data. A developer also makes games, with their builds, secrets and messages. An owner also decides on members.'
