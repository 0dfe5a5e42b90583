import { Refusal } from '../refusal.ts'
import type { Store } from '../store/store.ts'
import type { StudioAccount } from '../store/directory/studios.ts'
import type { Developer } from '../store/directory/studio-sessions.ts'

/** A studio's own account, and whether it can get no more messages. */
export async function getAccount(
  { studios, studioMessages }: Store,
  { studio }: Developer,
): Promise<{ account: StudioAccount; messagesFull: boolean }> {
  const [account, messagesFull] = await Promise.all([studios.byId(studio), studioMessages.isFull(studio)])
  return { account: account!, messagesFull }
}

/** A studio by its name in addresses, as everybody sees it. @throws Refusal 'not-found' */
export async function getPublicStudio({ studios }: Store, slug: string): Promise<StudioAccount> {
  const studio = await studios.bySlug(slug)
  if (!studio) throw new Refusal('not-found', 'There is no such studio.')
  return { ...studio, ...studio.accepted }
}
