import type { Store } from '../../store.ts'

/**
 * Counts an address that a studio adds, changes or tests. All of these count together, so that nobody can use them to
 * search for open ports. @param studio undefined: an admin, who is not limited @throws Refusal
 */
export async function countEndpoint(
  { portalLimits }: Pick<Store, 'portalLimits'>,
  studio: number | undefined,
): Promise<void> {
  if (studio !== undefined) await portalLimits.require('new-endpoint', `studio ${studio}`)
}
