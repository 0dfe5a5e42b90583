import type { Store } from '../../store/store.ts'

/**
 * Counts an address that a studio wants called: one that is added, changed or tested. All count together, so that nobody
 * looks for open ports by any of them. @param studio undefined: an admin, who is not limited @throws Refusal
 */
export async function countEndpoint(
  { portalLimits }: Pick<Store, 'portalLimits'>,
  studio: number | undefined,
): Promise<void> {
  if (studio !== undefined) await portalLimits.require('new-endpoint', `studio ${studio}`)
}
