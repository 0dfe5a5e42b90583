import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { chartCard, type Chart, type ChartLinks } from '../../charts/chart.ts'
import { html, type Html } from '../../web/html.ts'
import { isOwner, type Visit } from '../../web/visit.ts'
import { amount } from '../../charts/words.ts'
import { countedDays } from '../../../shared/limits.ts'
import { counted, moment } from '../parts/amount.ts'
import { filterBar, inDays, ranges, type Choice, type Problem } from '../parts/data-filters.ts'
import { askedOf } from './asked.ts'
import { exampleCharts } from './example.ts'
import { dataLayout } from '../parts/data-layout.ts'
import { dataPath, type DataView } from '../parts/data-view.ts'
import type { ChartPage } from '../parts/game-side.ts'

/** A page of charts, as its numbers make it. */
export interface Shown {
  readonly page: ChartPage
  readonly charts: readonly Chart[]
  /** Where the charts stand; default: in columns. */
  readonly arrange?: (charts: readonly Html[]) => Html
  /** Above and below the charts. */
  readonly head?: Html
  readonly foot?: Html
  /** With the values of the cut. Undefined: the page counts all builds. */
  readonly builds: readonly Choice[] | undefined
  /** What people call the cut; undefined: there is none. */
  readonly cut?: string | undefined
  /** The builds that are compared, where the view does not say it. */
  readonly pair?: { readonly build: number; readonly compare: number }
  /** All statements are counted. */
  readonly complete: boolean
  /** How many are not, about. */
  readonly behind: bigint
  /** All is counted again, beside these counts. */
  readonly recounting: boolean
  /** Until when all that arrived is counted: seconds since 1970; 0: nothing is. */
  readonly countedUntil: bigint
  /** Statements of days beyond those that are counted one by one. */
  readonly otherDays: bigint
  /** Nothing happened in these days. */
  readonly isEmpty: boolean
}

/** The charts of one page, or one of them alone. */
export function dataPage(
  visit: Visit,
  game: Game,
  view: DataView,
  shown: Shown,
  alone?: Chart,
  problem?: Problem,
): Html {
  const { page, charts, arrange, head, foot, builds, cut, pair, complete, otherDays, isEmpty } = shown
  const of = alone ? [alone] : charts
  const cards = of.map((chart, at) =>
    chartCard(
      complete ? chart : { ...chart, empty: notYet },
      `chart-${at + 1}`,
      linksTo(game, { ...view, ...pair }, page, chart),
      alone !== undefined,
    ),
  )
  const all = html`${head}${arrange?.(cards) ?? html`<div class="questions">${cards}</div>`}${foot}`
  return dataLayout(
    visit,
    game,
    view,
    page,
    html`
      ${!complete && html`<p class="notice" role="status">${stillCounting(shown)} The page updates itself.</p>`}
      ${
        isEmpty && complete
          ? html`${foot}${nothing(game, view, page)}${page !== 'data/problems' && exampleCharts(askedOf(game, view), page)}`
          : alone
            ? html`<div class="questions alone">${cards}</div><p class="more">
            <a href="${dataPath(game, page, view)}">All charts of this page</a></p>`
            : all
      }
      ${otherDays > 0n && furtherDays(otherDays)}`,
    {
      filters: filterBar(game, { ...view, ...pair }, page, builds, {
        problem,
        cut,
        settingsAt: isOwner(visit) ? `/games/${game.summary!.gameId}/counting` : undefined,
      }),
      scripts: ['charts.js'],
    },
  )
}

/** Of a chart that is empty while statements are counted: it cannot say that nothing happened. */
const notYet = html`<p>Nothing of this is counted yet.</p>`

function stillCounting({ behind, recounting, countedUntil }: Shown): Html {
  const asOf = countedUntil > 0n && html`These numbers are as of ${moment(countedUntil, 'second')}.`
  return recounting
    ? html`All is counted again, because the time zone, the start of the game, the filter or the meaning of counts has changed.
        ${asOf || 'Until then these are the numbers of before.'}`
    : html`Still counting: ${counted(behind, 'statement')} to go. ${asOf}`
}

const furtherDays = (statements: bigint): Html =>
  html`<p class="hint">${counted(statements, 'statement')} of this game ${statements === 1n ? 'is' : 'are'} in no
      chart by day: charts count ${amount(countedDays)} different days of a game one by one.</p>`

/** Addresses of a chart: alone, as CSV, as SVG. */
function linksTo(game: Game, view: DataView, page: ChartPage, { id, of }: Chart): ChartLinks {
  const at = (end: string) =>
    dataPath(game, `${page || 'data/activity'}/${id}${end}`, view, of === undefined ? {} : { of })
  return { alone: at(''), csv: at('.csv'), svg: at('.svg') }
}

function nothing(game: Game, view: DataView, page: ChartPage): Html {
  const { gameId, slug } = game.summary!
  if (view.sandbox) {
    return html`<div class="card empty"><h2>Nothing from the sandbox yet</h2>
        <p>Play your build as a test learner: each statement appears next to the game as it arrives. The counts
        appear here.</p>
        ${
          view.makes &&
          html`<p class="actions"><a class="button" href="/games/${gameId}/sandbox">Open a sandbox session</a></p>`
        }</div>`
  }
  if (!game.credential) {
    return html`<div class="card empty"><h2>No learners yet</h2>
        <p>Charts start with the first statement of a published game. Sandbox statements are counted separately.</p>
        <p class="actions">${
          // the overview has the next step itself
          view.makes && page !== '' && html`<a class="button" href="/games/${gameId}/checklist">See the next step</a> `
        }<a
        class="button quiet" href="${dataPath(game, page, {
          ...view,
          sandbox: true,
        })}">Show the sandbox</a></p></div>`
  }
  const longer = ranges.find((days) => days > view.days)
  return html`<div class="card empty"><h2>Nothing in ${view.chosen ? inDays(view) : `these ${inDays(view)}`}</h2>
      <p>A statement counts on the day of its timestamp, in the time zone of the studio.
      ${view.makes ? 'Invite learners, or choose' : 'Choose'} a
      longer range.</p>
      <p class="actions">${
        view.makes && slug !== '' && html`<a class="button" href="/games/${gameId}/invitations">Invite learners</a> `
      }
        ${
          (longer ?? view.chosen) !== undefined &&
          html`<a class="button quiet" href="${dataPath(game, page, {
            ...view,
            days: longer ?? view.days,
            chosen: undefined,
          })}">Show ${longer ?? view.days} days</a>`
        }</p></div>`
}
