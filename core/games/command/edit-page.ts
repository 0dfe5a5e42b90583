import { noGame } from '../../records/access/no-game.ts'
import type { Run } from '../../process/database/database.ts'
import { lifeOf, type GameRow } from '../store/games.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { edited, isInReview, isPlayable } from '../rules/lifecycle.ts'

/** Changes the draft of a game's page, in one transaction that locks the game. @throws Refusal 'not-found' */
export async function editPage(
  store: Store,
  { studio }: Developer,
  gameId: string,
  edit: (run: Run, game: GameRow) => Promise<void>,
): Promise<void> {
  await store.transaction(async (run) => {
    const game = await store.games.lock(run, gameId, studio)
    if (!game) throw noGame()
    await edit(run, game)
    await settlePage(store, run, game)
  })
}

/** Runs after each change of the draft. A trusted studio's change is public at once, others wait for review. */
export async function settlePage(store: Store, run: Run, game: GameRow): Promise<void> {
  const { games, gamePages, reviews } = store
  const changed = await gamePages.turn(run, game.id)
  const isAccepted = changed && game.trusted && isPlayable(game.state)
  if (isAccepted) await gamePages.accept(run, game.id)
  const state = edited(lifeOf(game), changed && !isAccepted)
  if (state === game.state) return
  if (isInReview(game.state)) await reviews.withdraw(run, game.id)
  await games.move(run, game.id, state)
}
