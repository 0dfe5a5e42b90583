import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { gameLayout } from './game-layout.ts'

/** Which data of a game is shown. */
export interface DataView {
  /** Data of sandbox sessions, not of learners. */
  readonly sandbox: boolean
  /** Number of days up to today, unless the first and last day are chosen. */
  readonly days: number
  /** Time zone of the studio, in which days are; undefined: UTC. */
  readonly zone?: string | undefined
  /** First and last day. */
  readonly chosen?: Days | undefined
  /** Number of the build, and of the one beside it; undefined: all builds, and none. */
  readonly build?: number | undefined
  readonly compare?: number | undefined
  /** The visitor makes games, and is offered what leads to data. */
  readonly makes: boolean
}

/** The first and the last one, `2026-11-05`. */
export interface Days {
  readonly from: string
  readonly to: string
}

const pages = {
  data: 'Overview',
  'data/progress': 'Progress',
  'data/return': 'Return',
  'data/answers': 'Answers',
  'data/elements': 'Elements',
  'data/problems': 'Problems',
  learners: 'Learners',
  statements: 'Statements',
} as const
export type Page = keyof typeof pages
/** Whose charts have addresses of their own. */
export type ChartPage = Exclude<Page, 'learners' | 'statements'>

/** The address of a page of a game's data with the same view. */
export function dataPath(
  game: Game,
  page: string,
  { sandbox, days, chosen, build, compare }: Pick<DataView, 'sandbox' | 'days' | 'chosen' | 'build' | 'compare'>,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({
    ...(sandbox ? { from: 'sandbox' } : {}),
    ...(days === 30 ? {} : { days: String(days) }),
    // the list of statements has its own filters by day
    ...(chosen && page !== 'statements' && page !== 'learners' ? { since: chosen.from, until: chosen.to } : {}),
    ...(build === undefined ? {} : { build: String(build) }),
    ...(compare === undefined ? {} : { compare: String(compare) }),
    ...more,
  })
  return `/games/${game.summary!.gameId}/${page}${query.size > 0 ? `?${query}` : ''}`
}

/** Charts and statements of a game, of learners or of the sandbox. */
export function dataLayout(
  visit: Visit,
  game: Game,
  view: DataView,
  page: Page,
  content: Html,
  { choice, scripts = [] }: { choice?: Html; scripts?: readonly string[] } = {},
): Html {
  const link = (href: string, text: string, isHere: boolean) =>
    html`<li><a href="${href}"${isHere && html` aria-current="true"`}>${text}</a></li>`
  const views = Object.entries(pages).map(([path, text]) => link(dataPath(game, path, view), text, path === page))
  return gameLayout(
    visit,
    game,
    page === 'data' ? 'Data' : pages[page],
    html`
      <nav class="choice views" aria-label="View"><ul>${views}</ul></nav>
      <div class="choices">
        <nav class="choice" aria-label="From"><ul>${link(
          dataPath(game, page, {
            ...view,
            sandbox: false,
          }),
          'Live',
          !view.sandbox,
        )}${link(dataPath(game, page, { ...view, sandbox: true }), 'Sandbox', view.sandbox)}</ul></nav>
        ${choice}
      </div>
      ${content}`,
    { styles: page === 'statements' ? ['data.css'] : ['data.css', 'charts.css'], scripts },
  )
}
