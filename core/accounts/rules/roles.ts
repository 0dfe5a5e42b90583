/** What a member of a studio may do: an analyst reads data, a developer makes games, an owner decides on members. */
export const memberRoles = ['analyst', 'developer', 'owner'] as const

export type MemberRole = (typeof memberRoles)[number]

/** Who makes the games of a studio. */
export const makers: readonly MemberRole[] = ['developer', 'owner']

/** Whether the role may do all that the other one may. */
export const covers = (role: MemberRole, needed: MemberRole): boolean =>
  memberRoles.indexOf(role) >= memberRoles.indexOf(needed)
