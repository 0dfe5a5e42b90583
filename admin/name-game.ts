import type { CoreClient } from './core-client.ts'
import { GameState, type Game } from '../gen/lrs/v1/games_pb.js'
import { Failed } from './failed.ts'

/** A game is named by its id, or by its name in addresses. @throws Failed */
export async function gameIdOf({ games }: CoreClient, named: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named)) return named
  const found = (await games.listGames({ slug: named.slice(0, 200) })).games.find(({ slug }) => slug === named)
  if (found) return found.gameId
  throw new Failed(`There is no game ${JSON.stringify(named)}: "games list" shows ids and slugs.`)
}

/** One that goes through review. @throws Failed */
export async function studioGameOf(core: CoreClient, named: string): Promise<Game> {
  const game = (await core.games.getGame({ gameId: await gameIdOf(core, named) })).game!
  if (game.summary!.state !== GameState.UNSPECIFIED) return game
  throw new Failed(
    `The game ${named} has no studio, so it is neither reviewed nor public. "credentials revoke" ends its access.`,
  )
}
