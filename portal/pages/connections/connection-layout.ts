import type { Forward } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { gameLayout } from '../parts/game-layout.ts'
import type { LayoutOptions } from '../parts/layout.ts'

/** The address of the connections of a game. */
export const connectionsPath = (game: Game): string => `/games/${game.summary!.gameId}/connections`

/** The address of one forward. */
export const forwardPath = (game: Game, { forwardId }: Pick<Forward, 'forwardId'>): string =>
  `${connectionsPath(game)}/forwards/${forwardId}`

/** A page below the connections of a game. @param above further pages of the breadcrumb */
export function connectionLayout(
  visit: Visit,
  game: Game,
  title: string,
  content: Html,
  { above = [], ...options }: LayoutOptions & { above?: LayoutOptions['trail'] } = {},
): Html {
  return gameLayout(visit, game, title, content, {
    trail: [{ href: connectionsPath(game), text: 'Connections' }, ...above],
    styles: ['account.css', 'connections.css'],
    ...options,
  })
}
