import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import { isDeveloper, isOwner, type Visit } from '../../web/visit.ts'
import { dataPath, type Narrowed } from './data-view.ts'
import { stateBadge } from './game-state.ts'
import { cover } from './media.ts'

/** Pages that show results, by their paths below the game: the filters of the view go with them. */
export const titles = {
  '': 'Overview',
  'data/progress': 'Progress',
  'data/compare': 'Compare builds',
  'data/answers': 'Answers',
  'data/elements': 'Interactions',
  'data/return': 'Returning players',
  'data/activity': 'Activity',
  'data/problems': 'Problems',
  learners: 'Learners',
  statements: 'Statements',
} as const
export type ResultPage = keyof typeof titles
/** Whose charts have addresses of their own. */
export type ChartPage = Exclude<ResultPage, 'learners' | 'statements'>

interface Link {
  /** Below the game. */
  readonly path: string
  readonly text: string
  /** Paths of pages below it. */
  readonly also?: readonly string[]
}

const results: readonly Link[] = Object.entries(titles).map(([path, text]) => ({
  path,
  text,
  also: path === 'learners' ? ['learner', 'erasures'] : path === 'statements' ? ['deletions'] : [],
}))
const invitations: Link = { path: 'invitations', text: 'Invitations', also: ['classes'] }
const classes: Link = { path: 'classes', text: 'Classes' }
const building: readonly Link[] = [
  { path: 'checklist', text: 'Checklist' },
  {
    path: 'builds',
    text: 'Builds',
    also: ['upload', 'promote', 'rollback', 'beta-link', 'submit', 'withdraw', 'delete'],
  },
  { path: 'sandbox', text: 'Sandbox' },
  { path: 'edit', text: 'Details', also: ['changes'] },
  { path: 'media', text: 'Media', also: ['files'] },
  { path: 'player', text: 'Embedding' },
]
const documents: Link = { path: 'documents', text: 'Documents for players' }
const credential: Link = { path: 'credential', text: 'Credential' }
const connections: Link = { path: 'connections', text: 'Connections' }
const views: Link = { path: 'views', text: 'Saved views' }
const alerts: Link = { path: 'alerts', text: 'Alerts' }
const counting: Link = { path: 'counting', text: 'Days and filters' }
const retention: Link = { path: 'retention', text: 'Data retention' }

/** All pages of a game that the visitor may see, in groups, under its cover and name. */
export function gameSide(visit: Visit, game: Game, view: Narrowed = { sandbox: false, days: 30 }): Html {
  const { gameId, name, state } = game.summary!
  const makes = isDeveloper(visit)
  const [overview, ...further] = results
  const groups: [name: string, links: readonly Link[]][] = [
    ['Results', [...further, makes ? invitations : classes]],
    ['Build and publish', makes ? building : []],
    [
      'Settings',
      [
        ...(makes ? [credential, documents] : []),
        alerts,
        connections,
        ...(isOwner(visit) ? [counting] : []),
        ...(makes ? [retention] : []),
      ],
    ],
  ]
  const here = visit.request.path.slice(`/games/${gameId}/`.length)
  const isIn = (path: string) => here === path || here.startsWith(`${path}/`)
  const link = ({ path, text, also = [] }: Link) =>
    html`<li><a href="${dataPath(game, path, path in titles ? view : { sandbox: false, days: 30 })}"${
      (path === '' ? here === '' : [path, ...also].some(isIn)) && html` aria-current="page"`
    }>${text}</a></li>`
  return html`<nav id="side" class="side" popover aria-label="Pages of ${name}">
      <a class="game" href="/games/${gameId}">${cover({ ...game.summary!, coverText: '' })}
      <span><b>${name}</b>${stateBadge(state)}</span></a>
      <ul>${link(overview!)}${link(views)}</ul>
      ${groups.map(
        ([title, links], at) =>
          links.length > 0 &&
          html`<p id="side-${at}">${title}</p><ul aria-labelledby="side-${at}">${links.map(link)}</ul>`,
      )}
      <p class="all"><a href="/games">All games</a></p>
    </nav>`
}
