import { hash } from 'node:crypto'

/** When this many are remembered, all are forgotten. */
const maxRemembered = 10_000
const digest = (authorization: string): string => hash('sha256', authorization, 'base64')

/**
 * Remembers which credentials core has accepted. Where callers share room, each of these has a share of its own, and
 * all other callers have one together. Otherwise an attacker who invents a credential for each request would get many
 * shares.
 */
export function authenticatedCallers() {
  const accepted = new Set<string>()
  return {
    /** Name of the caller's share: its Authorization header, or '' if core has not accepted that yet. */
    nameOf: (authorization: string): string => (accepted.has(digest(authorization)) ? authorization : ''),
    accept(authorization: string): void {
      if (accepted.size >= maxRemembered) accepted.clear()
      accepted.add(digest(authorization))
    },
  }
}

export type AuthenticatedCallers = ReturnType<typeof authenticatedCallers>
