import type { Sent } from '../../pages/parts/form.ts'
import type { Html } from '../../web/html.ts'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { uuid, type Visit } from '../../web/visit.ts'

/** The game of the address, as core shows it to this visitor. Throws at once when the address has no id. */
export function gameOf(visit: Visit): Promise<Game> {
  return visit.core.games.getGame({ gameId: uuid(visit) }).then(({ game }) => game!)
}

/** Shows a page of the game of the address: a form also when it was refused. */
export const ofGame = (page: (visit: Visit, game: Game, sent?: Sent) => Html) => async (visit: Visit, sent?: Sent) =>
  page(visit, await gameOf(visit), sent)
