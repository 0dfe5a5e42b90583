import { noGame } from '../../records/access/no-game.ts'
import type { Run } from '../../process/database/database.ts'
import { lifeOf, type GameRow } from '../store/games.ts'
import type { Developer } from '../../accounts/store/studio-sessions.ts'
import type { Store } from '../../store.ts'
import { edited, isInReview, isPlayable } from '../rules/lifecycle.ts'

/** Changes a game, in one transaction that locks it. @param studio its owner; null: any @throws Refusal 'not-found' */
export const onGame = <Result>(
  { transaction, games }: Store,
  { studio }: { readonly studio: number | null },
  gameId: string,
  change: (run: Run, game: GameRow) => Promise<Result>,
): Promise<Result> =>
  transaction(async (run) => {
    const game = await games.lock(run, gameId, studio)
    if (!game) throw noGame()
    return change(run, game)
  })

/** Changes the draft of a game's page. @throws Refusal 'not-found' */
export const editPage = (
  store: Store,
  developer: Developer,
  gameId: string,
  edit: (run: Run, game: GameRow) => Promise<void>,
): Promise<void> =>
  onGame(store, developer, gameId, async (run, game) => {
    await edit(run, game)
    await settlePage(store, run, game)
  })

/** Runs after each change of the draft. A trusted studio's change is public at once, others wait for review. */
export async function settlePage(store: Store, run: Run, game: GameRow): Promise<void> {
  const { games, gamePages, catalogue, reviews } = store
  const changed = await gamePages.turn(run, game.id)
  const isAccepted = changed && game.trusted && isPlayable(game.state)
  if (isAccepted) {
    await gamePages.accept(run, game.id)
    await catalogue.renew(run, game.id)
  }
  const state = edited(lifeOf(game), changed && !isAccepted)
  if (state === game.state) return
  if (isInReview(game.state)) await reviews.withdraw(run, game.id)
  await games.move(run, game.id, state)
}
