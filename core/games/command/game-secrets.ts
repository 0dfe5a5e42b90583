import { hashSecret, newSecret } from '../../process/secret.ts'
import { noGame } from '../../records/access/no-game.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import type { IssuedCredential } from './credentials.ts'

/** Makes the secret of a game's credential and shows it, once only. @throws Refusal 'conflict' */
export const revealSecret = (store: Store, developer: Developer, gameId: string): Promise<IssuedCredential> =>
  showSecret(store, developer, gameId, (revealed) => {
    if (revealed)
      throw new Refusal('conflict', 'The secret was shown already, and is kept nowhere: rotate it for a new one.')
  })

/** Makes a new secret and shows it. After the commit the old one is refused; launch tokens stay valid. */
export const rotateSecret = (store: Store, developer: Developer, gameId: string): Promise<IssuedCredential> =>
  showSecret(store, developer, gameId, () => {})

function showSecret(
  { transaction, games, credentials }: Store,
  { studio }: Developer,
  gameId: string,
  admit: (revealed: boolean) => void,
): Promise<IssuedCredential> {
  const secret = newSecret()
  return transaction(async (run) => {
    const game = await games.lock(run, gameId, studio)
    if (!game) throw noGame()
    const credential = await credentials.of(run, game.id)
    if (!credential)
      throw new Refusal('conflict', 'The game has no credential (any more): it gets one with its next approval.')
    admit(credential.revealed)
    await credentials.setSecret(run, game.id, hashSecret(secret))
    return { key: credential.key, secret }
  })
}
