import type { Game } from '../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { gameLayout } from './game-layout.ts'

/** Which data of a game is shown. */
export interface DataView {
  /** Data of sandbox sessions, not of learners. */
  readonly sandbox: boolean
  /** Number of days up to today. */
  readonly days: number
  /** The visitor makes games, and is offered what leads to data. */
  readonly makes: boolean
}

type Page = 'data' | 'learners' | 'statements'

/** The address of a page of a game's data with the same view. */
export function dataPath(
  game: Game,
  page: Page | 'learner',
  { sandbox, days }: Pick<DataView, 'sandbox' | 'days'>,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({
    ...(sandbox ? { from: 'sandbox' } : {}),
    ...(days === 30 ? {} : { days: String(days) }),
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
  return gameLayout(
    visit,
    game,
    page === 'data' ? 'Data' : page === 'learners' ? 'Learners' : 'Statements',
    html`
      <div class="choices">
        <nav class="choice" aria-label="View"><ul>${link(dataPath(game, 'data', view), 'Charts', page === 'data')}${link(dataPath(game, 'learners', view), 'Learners', page === 'learners')}${link(dataPath(game, 'statements', view), 'Statements', page === 'statements')}</ul></nav>
        <nav class="choice" aria-label="From"><span class="muted" aria-hidden="true">From:</span> <ul>${link(dataPath(game, page, { ...view, sandbox: false }), 'learners', !view.sandbox)}${link(dataPath(game, page, { ...view, sandbox: true }), 'sandbox', view.sandbox)}</ul></nav>
        ${choice}
      </div>
      ${content}`,
    { styles: ['data.css'], scripts },
  )
}
