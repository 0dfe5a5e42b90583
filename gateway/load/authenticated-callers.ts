import { hash } from 'node:crypto'

/** So many are remembered; then all begin anew. */
const most = 10_000
const digest = (authorization: string): string => hash('sha256', authorization, 'base64')

/**
 * Whose credentials core has accepted. Only they are callers of their own where room is shared: whoever invents a new one
 * for each request would otherwise be a crowd, each with a share.
 */
export function authenticatedCallers() {
  const accepted = new Set<string>()
  return {
    /** Who it is for those who share: the Authorization itself, or one name for all who are not known. */
    nameOf: (authorization: string): string => (accepted.has(digest(authorization)) ? authorization : ''),
    accept(authorization: string): void {
      if (accepted.size >= most) accepted.clear()
      accepted.add(digest(authorization))
    },
  }
}

export type AuthenticatedCallers = ReturnType<typeof authenticatedCallers>
