import type { MemberRole } from './roles.ts'

/** What a personal token may do, and the role that its owner needs for it at each call. */
export const tokenScopes = {
  read: { role: 'analyst', text: 'Read games, statements and charts' },
  sandbox: { role: 'developer', text: 'Open sandbox sessions and watch them' },
  upload: { role: 'developer', text: 'Upload builds and files, submit them for review' },
  games: { role: 'developer', text: 'Make and change games, submit them for review, roll back' },
  roster: { role: 'owner', text: 'Take classes of the school from a roster' },
  audit: { role: 'owner', text: 'Read the audit log of the studio' },
} as const satisfies Record<string, { role: MemberRole; text: string }>

export type TokenScope = keyof typeof tokenScopes

export const isTokenScope = (name: string): name is TokenScope => Object.hasOwn(tokenScopes, name)

/** Days for which a token is good. */
export const tokenDays = { usual: 90, most: 365 } as const
