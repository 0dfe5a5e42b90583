import type { CoreClient } from './core-client.ts'
import { Failed } from './failed.ts'

/** A game is named by its id, or by its name in addresses. @throws Failed */
export async function gameIdOf({ games }: CoreClient, named: string): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named)) return named
  const found = (await games.listGames({})).games.find(({ slug }) => slug === named)
  if (found) return found.gameId
  throw new Failed(`There is no game ${JSON.stringify(named)}: "games list" shows ids and slugs.`)
}
