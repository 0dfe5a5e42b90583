import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { uuid, type Visit } from '../../web/visit.ts'

/** The game of the address, as core shows it to this visitor. Throws at once when the address has no id. */
export function gameOf(visit: Visit): Promise<Game> {
  return visit.core.games.getGame({ gameId: uuid(visit) }).then(({ game }) => game!)
}
