/**
 * What a member may do, each with all that those before it may. Of a studio: an analyst reads data, a developer makes
 * games, an owner decides on members. Of a school: an observer sees results without names, a teacher has classes.
 */
const ladders = {
  studio: ['analyst', 'developer', 'owner'],
  school: ['observer', 'teacher', 'owner'],
} as const

export type OrganisationKind = keyof typeof ladders
export type MemberRole = (typeof ladders)[OrganisationKind][number]

export const memberRoles: readonly MemberRole[] = ['analyst', 'developer', 'owner', 'observer', 'teacher']

export const rolesOf = (kind: OrganisationKind): readonly MemberRole[] => ladders[kind]

/** Who makes the games of a studio. */
export const makers: readonly MemberRole[] = ['developer', 'owner']

/** Whether the role in an organisation of this kind may do all that the needed one may. */
export function covers(kind: OrganisationKind, role: MemberRole, needed: MemberRole): boolean {
  const place = rolesOf(kind).indexOf(needed)
  return place >= 0 && rolesOf(kind).indexOf(role) >= place
}
