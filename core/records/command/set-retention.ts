import { noGame } from '../access/no-game.ts'
import type { Kept } from '../store/retention.ts'
import type { Store } from '../../store.ts'

/**
 * Sets how long data of a game is kept. What is older is removed from now on.
 * @param studio must own the game; undefined: any game
 * @throws Refusal
 */
export async function setRetention(
  { retention }: Pick<Store, 'retention'>,
  studio: number | undefined,
  gameId: string,
  kept: Kept,
): Promise<void> {
  const game = await retention.get(gameId, studio)
  if (!game) throw noGame()
  await retention.set(game.game, kept)
}
