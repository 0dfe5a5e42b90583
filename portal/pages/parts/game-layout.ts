import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import type { Narrowed } from './data-view.ts'
import { gameSide } from './game-side.ts'
import { stateBadge } from './game-state.ts'
import { layout, type LayoutOptions } from './layout.ts'

/**
 * A page about one game, beside the list of all its pages. Reviewers get a link back to the review instead.
 * @param options.view the filters that links to results keep
 */
export function gameLayout(
  visit: Visit,
  game: Game,
  title: string,
  content: Html,
  { view, ...options }: LayoutOptions & { view?: Narrowed } = {},
): Html {
  const { gameId, name, state, studioSlug } = game.summary!
  if (visit.account?.studio?.slug === studioSlug)
    return layout(visit, title, content, { side: { name, pages: gameSide(visit, game, view) }, ...options })
  return layout(visit, title, content, {
    trail: [
      { href: '/reviews', text: 'Reviews' },
      { href: `/reviews/${gameId}`, text: name },
    ],
    aside: stateBadge(state),
    ...options,
  })
}
