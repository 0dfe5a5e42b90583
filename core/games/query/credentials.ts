import { Refusal } from '../../process/refusal.ts'
import type { ListedCredential } from '../../records/store/cell/credential-views.ts'
import type { Store } from '../../store.ts'

/** All credentials that a game has had, the newest first; for admins. @throws Refusal 'not-found' */
export async function listCredentials({ credentials }: Store, gameId: string): Promise<ListedCredential[]> {
  const found = await credentials.ofGame(gameId)
  if (!found) throw new Refusal('not-found', 'There is no game with this id.', { subject: 'game' })
  return found
}
