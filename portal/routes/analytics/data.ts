import { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { svgFile } from '../../charts/svg-file.ts'
import { tableCsv } from '../../charts/table.ts'
import type { Chart } from '../../charts/chart.ts'
import { PageFailure } from '../../web/failure.ts'
import { counted } from '../../pages/parts/amount.ts'
import { askedOf } from '../../pages/analytics/asked.ts'
import { daysOf, inDays } from '../../pages/parts/data-filters.ts'
import type { DataView } from '../../pages/parts/data-view.ts'
import type { ChartPage } from '../../pages/parts/game-side.ts'
import { dataPage, type Shown } from '../../pages/analytics/data-page.ts'
import { selected } from '../parts/data-view.ts'
import { signedIn, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { chartLoaders, withoutCut } from './load-charts.ts'

/** The page reloads after this many seconds, but only until its counts are complete. This works without scripts. */
const askAgain = 1

/** Charts of a game: pages, and each chart alone, as CSV and as SVG. */
export const data = (portal: Portal): Router =>
  Router()
    // addresses that earlier versions had
    .get(
      ['/games/:id/data', '/games/:id/data/overview{/:chart}'],
      signedIn(portal, (visit) => {
        const { params, url } = visit.request
        const page = params['chart'] === undefined ? '' : `/data/activity/${String(params['chart'])}`
        return `/games/${uuid(visit)}${page}${URL.parse(url, 'http://own')?.search ?? ''}`
      }),
    )
    .get(
      ['/games/:id', '/games/:id/data/:page'],
      signedIn(portal, async (visit) => {
        const { game, view, shown, problem } = await answered(visit)
        if (!shown.complete) visit.response.set('Refresh', String(askAgain))
        return dataPage(visit, game, view, shown, undefined, problem)
      }),
    )
    .get(
      '/games/:id/data/:page/:chart',
      signedIn(portal, async (visit) => {
        const { game, view, shown, problem } = await answered(visit)
        const [, id, end] = /^([a-z-]+)(?:\.(csv|svg))?$/.exec(String(visit.request.params['chart'])) ?? []
        const of = visit.query('of')
        const chart = shown.charts.find((one) => one.id === id && (of === '' || one.of === of))
        if (!chart) throw nowhere()
        if (end !== undefined) return download(visit, game, view, shown, chart, end)
        if (!shown.complete) visit.response.set('Refresh', String(askAgain))
        return dataPage(visit, game, view, shown, chart, problem)
      }),
    )

const nowhere = () => new PageFailure(Reason.NOT_FOUND, 'There is no chart at this address.')

function download({ response }: Visit, game: Game, view: DataView, shown: Shown, chart: Chart, end: string): void {
  if (!shown.complete) {
    const behind = counted(shown.behind, 'statement')
    throw new PageFailure(Reason.UNAVAILABLE, `Still counting: ${behind} to go. Try again in a moment.`)
  }
  const { name, slug } = game.summary!
  const about = `${name}, ${inDays(view)} up to ${daysOf(view).to}${view.sandbox ? ', sandbox' : ''}`
  response
    .attachment(`${slug || 'game'}-${chart.id}.${end}`)
    .type(end === 'csv' ? 'text/csv' : 'image/svg+xml')
    .send(end === 'csv' ? tableCsv(chart.table) : svgFile(chart, about))
}

const slugs: Readonly<Record<string, ChartPage>> = {
  '': '',
  activity: 'data/activity',
  progress: 'data/progress',
  compare: 'data/compare',
  return: 'data/return',
  answers: 'data/answers',
  elements: 'data/elements',
  problems: 'data/problems',
}

/** The numbers of the page of the address. */
async function answered(visit: Visit) {
  const slug = String(visit.request.params['page'] ?? '')
  const page = Object.hasOwn(slugs, slug) ? slugs[slug]! : undefined
  if (page === undefined) throw nowhere()
  const { view: chosen, problem } = selected(visit)
  if (problem) visit.response.status(400)
  const { zone } = await visit.core.counting.getCounting({ gameId: uuid(visit) })
  // refused requests tell no value of the cut
  const own = page === 'data/problems' ? withoutCut(chosen) : chosen
  const view = { ...own, zone }
  const [{ game }, load] = await Promise.all([
    visit.core.games.getGame({ gameId: uuid(visit) }),
    chartLoaders[page]({ core: visit.core, gameId: uuid(visit), of: visit.query('of') }, view),
  ])
  return { game: game!, view, problem, shown: { page, ...load(askedOf(game!, view)) } }
}
