import { hashSecret, newSecret } from '../../process/secret.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { IssuedCredential } from './credentials.ts'
import { onGame } from './edit-page.ts'

type Stored = Pick<Core, 'store'>
type OfGame = { readonly gameId: string }

/** Makes the secret of a game's credential and shows it, once only. @throws Refusal 'conflict' */
export const revealSecret = (core: Stored, developer: Developer, { gameId }: OfGame) =>
  showSecret(core, developer, gameId, (revealed) => {
    if (revealed)
      throw new Refusal('conflict', 'The secret was shown already, and is kept nowhere: rotate it for a new one.')
  })

/** Makes a new secret and shows it. After the commit the old one is refused; launch tokens stay valid. */
export const rotateSecret = (core: Stored, developer: Developer, { gameId }: OfGame) =>
  showSecret(core, developer, gameId, () => {})

function showSecret(
  { store }: Stored,
  developer: Developer,
  gameId: string,
  admit: (revealed: boolean) => void,
): Promise<IssuedCredential> {
  const secret = newSecret()
  return onGame(store, developer, gameId, async (run, game) => {
    const credential = await store.credentials.of(run, game.id)
    if (!credential)
      throw new Refusal('conflict', 'The game has no credential (any more): it gets one with its next approval.')
    admit(credential.revealed)
    await store.credentials.setSecret(run, game.id, hashSecret(secret))
    return { key: credential.key, secret }
  })
}
