import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { Html } from '../../web/html.ts'
import { isDeveloper, isOwner, type Visit } from '../../web/visit.ts'
import { stateBadge } from './game-state.ts'
import { layout, tabs, type LayoutOptions } from './layout.ts'

/** The breadcrumb of pages below a game. */
export const gameTrail = ({ summary }: Game) => [
  { href: '/games', text: 'Games' },
  { href: `/games/${summary!.gameId}`, text: summary!.name },
]

/** A page about one game, with the tabs of all its pages. Reviewers get a link back to the review instead. */
export function gameLayout(visit: Visit, game: Game, title: string, content: Html, options: LayoutOptions = {}): Html {
  const { gameId, name, state } = game.summary!
  const at = `/games/${gameId}`
  if (visit.account?.studio?.slug !== game.summary!.studioSlug) {
    return layout(visit, title, content, {
      trail: [
        { href: '/reviews', text: 'Reviews' },
        { href: `/reviews/${gameId}`, text: name },
      ],
      aside: stateBadge(state),
      ...options,
    })
  }
  const ofDevelopers = [
    { href: at, text: 'Overview' },
    { href: `${at}/checklist`, text: 'Checklist' },
    { href: `${at}/edit`, text: 'Details' },
    { href: `${at}/media`, text: 'Media' },
    { href: `${at}/upload`, text: 'Build' },
    { href: `${at}/player`, text: 'Player' },
    { href: `${at}/sandbox`, text: 'Sandbox' },
    { href: `${at}/invitations`, text: 'Invitations' },
    { href: `${at}/credential`, text: 'Credential' },
    { href: `${at}/retention`, text: 'Data kept' },
  ]
  const ofOwners = isOwner(visit) ? [{ href: `${at}/counting`, text: 'Days of charts' }] : []
  const ofAnalysts = [{ href: `${at}/classes`, text: 'Classes' }]
  const ofAll = [
    { href: `${at}/connections`, text: 'Connections' },
    { href: `${at}/data`, text: 'Data' },
  ]
  const pages = [...(isDeveloper(visit) ? ofDevelopers : ofAnalysts), ...ofOwners, ...ofAll]
  const { path: asked } = visit.request
  const isOfInvitations = isDeveloper(visit) && asked.startsWith(`${at}/classes`)
  const path = ['statements', 'learner', 'erasures', 'deletions'].some((page) => asked.startsWith(`${at}/${page}`))
    ? `${at}/data`
    : isOfInvitations
      ? `${at}/invitations`
      : asked.replace(/\/files\/.*$/, '/media')
  const here = pages.findLast(({ href }) => path === href || path.startsWith(`${href}/`))?.href ?? at
  const trail = [
    { href: '/games', text: 'Games' },
    ...(here === at && title === name ? [] : [{ href: at, text: name }]),
  ]
  return layout(visit, title, content, {
    trail,
    aside: stateBadge(state),
    tabs: pages.length > 1 ? tabs(`Pages of ${name}`, here, pages) : undefined,
    ...options,
  })
}
