import { Router } from 'express'
import { AnswerPart, type GetAnswersResponse } from '../../../gen/lrs/v1/answers_pb.js'
import type { GetInsightsResponse } from '../../../gen/lrs/v1/insights_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { isCutValue } from '../../../shared/result-address.ts'
import type { Side } from '../../charts/sides.ts'
import { svgFile } from '../../charts/svg-file.ts'
import { tableCsv } from '../../charts/table.ts'
import type { Chart } from '../../charts/chart.ts'
import { PageFailure } from '../../web/failure.ts'
import { counted } from '../../pages/parts/amount.ts'
import { answerCharts } from '../../pages/analytics/answer-charts.ts'
import { compareCharts } from '../../pages/analytics/compare-charts.ts'
import { askedOf, choicesOf, cutName, type Asked } from '../../pages/analytics/asked.ts'
import { buildName, daysBefore, daysOf, inDays, type Choice } from '../../pages/parts/data-filters.ts'
import type { DataView } from '../../pages/parts/data-view.ts'
import type { ChartPage } from '../../pages/parts/game-side.ts'
import { dataPage, type Shown } from '../../pages/analytics/data-page.ts'
import { activityCharts, people } from '../../pages/analytics/activity-charts.ts'
import { clientCard } from '../../pages/analytics/client-card.ts'
import { buildsCard, helpCard, refusedCard } from '../../pages/analytics/overview-cards.ts'
import { viewLinks } from '../../pages/analytics/views.ts'
import { nextStep } from '../../pages/parts/game-steps.ts'
import { overviewTiles, type Period } from '../../pages/analytics/overview.ts'
import { mostOpen } from '../../pages/analytics/completable-charts.ts'
import { elementCharts } from '../../pages/analytics/element-charts.ts'
import type { Elements } from '../../pages/analytics/elements.ts'
import { problemCharts, rejectionList } from '../../pages/analytics/problem-charts.ts'
import { funnel, progressCharts } from '../../pages/analytics/progress-charts.ts'
import { returnCharts } from '../../pages/analytics/return-charts.ts'
import { selected } from '../parts/data-view.ts'
import { html, type Html } from '../../web/html.ts'
import { signedIn, uuid, type Portal, type Visit } from '../../web/visit.ts'

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
    loaders[page](visit, view),
  ])
  return { game: game!, view, problem, shown: { page, ...load(askedOf(game!, view)) } }
}

type Loader = (visit: Visit, view: DataView) => Promise<(asked: Asked) => Omit<Shown, 'page'>>

const loaders: Readonly<Record<ChartPage, Loader>> = {
  async ''(visit, view) {
    const { build: _build, compare: _compare, ...all } = view
    const [now, before, { views }] = await Promise.all([
      periodOf(visit, all, [AnswerPart.SESSIONS, AnswerPart.FUNNEL, AnswerPart.HELP, AnswerPart.REJECTIONS]),
      periodOf(visit, { ...all, chosen: daysBefore(daysOf(view)) }, [AnswerPart.SESSIONS]),
      visit.core.watching.listViews({ gameId: uuid(visit) }),
    ])
    const { insights, answers } = now
    const sides = named([{ build: undefined, of: answers }], answers.builds)
    const pair = await pairOf(visit, all, answers.builds)
    return (asked) => ({
      charts: [funnel(asked, sides), people(asked, insights)],
      arrange: ([funnel, people]) =>
        html`<div class="halves overview"><div>${funnel}${
          pair && buildsCard(asked, pair.builds, [pair.sides[0].of, pair.sides[1].of])
        }</div><div>${helpCard(asked, answers)}${refusedCard(asked, answers)}${people}</div></div>`,
      head: html`${viewLinks(asked.game, views)}${overviewTiles(asked, now, before)}`,
      foot: view.makes ? nextStep(asked.game) : undefined,
      ...counting(insights, answers.complete),
    })
  },
  async 'data/activity'(visit, view) {
    const insights = await insightsOf(visit, view)
    return (asked) => ({ charts: activityCharts(asked, insights), ...counting(insights) })
  },
  async 'data/progress'(visit, view) {
    const parts = [AnswerPart.FUNNEL, AnswerPart.LEVELS, AnswerPart.LEAVING]
    const sides = await answersOf(visit, view, parts)
    return (asked) => ({ charts: progressCharts(asked, sides), ...stateOf(sides) })
  },
  async 'data/compare'(visit, view) {
    const state = await builds(visit, view)
    if (view.compare === 'before') {
      const [now, before] = await answersOf(visit, view, [AnswerPart.LEVELS])
      return (asked) => ({ charts: compareCharts(asked, [now!, before!]), arrange: inColumns('alone'), ...state })
    }
    const found = await pairOf(visit, view, state.builds)
    const pair = found && { build: found.builds[0].number, compare: found.builds[1].number }
    return (asked) => ({
      charts: compareCharts({ ...asked, view: { ...view, ...pair } }, found?.sides),
      arrange: inColumns('alone'),
      ...state,
      ...(pair && { pair }),
    })
  },
  async 'data/return'(visit, view) {
    const sides = await answersOf(visit, view, [AnswerPart.RETURNS, AnswerPart.SESSIONS])
    return () => ({ charts: returnCharts(sides), ...stateOf(sides) })
  },
  async 'data/answers'(visit, view) {
    const [state, sides] = await Promise.all([
      builds(visit, view),
      sidesOf(visit, view, (of) => visit.core.seriousGames.listAlternatives(of)),
    ])
    return (asked) => ({
      charts: answerCharts(asked, named(sides, state.builds), visit.query('of')),
      arrange: inColumns('thirds'),
      ...state,
    })
  },
  async 'data/elements'(visit, view) {
    const { seriousGames } = visit.core
    const [state, sides] = await Promise.all([
      builds(visit, view),
      sidesOf(visit, view, async (of): Promise<Elements> => {
        const [completables, reachables, targets] = await Promise.all([
          seriousGames.listCompletables(of),
          seriousGames.listReachables(of),
          seriousGames.listTargets(of),
        ])
        return { completables, reachables, targets }
      }),
    ])
    const { completables } = sides[0]!.of.completables
    const activityId = visit.query('of') || mostOpen(completables)
    const players =
      activityId === undefined
        ? undefined
        : await seriousGames.listProgress({ ...playedIn(visit, view, view.build), activityId })
    return (asked) => ({ charts: elementCharts(asked, named(sides, state.builds), players), ...state })
  },
  async 'data/problems'(visit, view) {
    const [insights, sides, clients] = await Promise.all([
      insightsOf(visit, view),
      answersOf(visit, view, [AnswerPart.REJECTIONS]),
      visit.core.learners.listClientVersions({ gameId: uuid(visit), sandbox: view.sandbox }),
    ])
    const { builds, ...state } = stateOf(sides)
    return (asked) => ({
      charts: problemCharts(asked, sides[0]!.of, insights),
      foot: html`${rejectionList(sides, asked.game.summary!.gameId, view.makes)}${clientCard(clients)}`,
      ...state,
      builds: builds.filter((one) => !isCutValue(one.number)),
      cut: undefined,
      isEmpty: state.isEmpty && insights.days.every(({ refusals }) => refusals === 0n),
    })
  },
}

const inColumns = (kind: string) => (charts: readonly Html[]) =>
  html`<div class="questions ${kind}">${[...charts]}</div>`

async function periodOf(visit: Visit, view: DataView, parts: AnswerPart[]): Promise<Period> {
  const [insights, [side]] = await Promise.all([insightsOf(visit, view), answersOf(visit, view, parts)])
  return { insights, answers: side!.of }
}

/** For pages of all builds: how much is counted. */
const counting = ({ days, ...insights }: GetInsightsResponse, complete = true) => ({
  builds: undefined,
  complete: insights.complete && complete,
  behind: insights.behind,
  recounting: insights.recounting,
  countedUntil: insights.countedUntil,
  otherDays: insights.otherDays,
  isEmpty: days.every(({ statements, refusals }) => statements === 0n && refusals === 0n),
})

const insightsOf = (visit: Visit, view: DataView) =>
  visit.core.insights.getInsights({ gameId: uuid(visit), ...daysOf(view), sandbox: view.sandbox })

const withoutCut = (view: DataView): DataView =>
  isCutValue(view.build) || isCutValue(view.compare) ? { ...view, build: undefined, compare: undefined } : view

/** A side before it is named after its build. */
interface Part<Of> {
  readonly build: number | undefined
  /** Of a side with other days. */
  readonly name?: string
  readonly of: Of
}

/** What core says of the build of the view, and of the one, or of the days, beside it. */
async function sidesOf<Of>(
  visit: Visit,
  view: DataView,
  ask: (of: ReturnType<typeof playedIn>) => Promise<Of>,
): Promise<Part<Of>[]> {
  const { build, compare } = view
  const now = { build, ...(compare === 'before' && { name: 'This period' }), view }
  const earlier = { build, name: 'The period before', view: { ...view, chosen: daysBefore(daysOf(view)) } }
  const beside = compare === 'before' ? [earlier] : compare === undefined ? [] : [{ build: compare, view }]
  return Promise.all(
    [now, ...beside].map(async ({ view, ...side }) => ({ ...side, of: await ask(playedIn(visit, view, side.build)) })),
  )
}

const playedIn = (visit: Visit, view: DataView, build: number | undefined) => ({
  gameId: uuid(visit),
  ...daysOf(view),
  sandbox: view.sandbox,
  ...(build === undefined ? {} : { build }),
})

async function answersOf(visit: Visit, view: DataView, parts: AnswerPart[]): Promise<Side<GetAnswersResponse>[]> {
  const sides = await sidesOf(visit, view, (of) => visit.core.answers.getAnswers({ ...of, parts }))
  return named(sides, choicesOf(sides[0]!.of))
}

/** The builds of the view; where it has none, the newest one and the one before. Undefined: there are no two. */
async function pairOf(visit: Visit, view: DataView, all: readonly Choice[]) {
  const isOfCut = isCutValue(view.build) || isCutValue(view.compare)
  const known = all.filter((one) => one.number > 0 && one.number !== view.compare && isCutValue(one.number) === isOfCut)
  const now = all.find(({ number }) => number === view.build) ?? known[0]
  const before =
    all.find(({ number }) => number === view.compare) ??
    known[known.findIndex(({ number }) => number === now?.number) + 1]
  if (!now || !before) return undefined
  const both = { ...view, build: now.number, compare: before.number }
  const [first, second] = await answersOf(visit, both, [AnswerPart.LEVELS])
  return { builds: [now, before] as const, sides: [first!, second!] as const }
}

const named = <Of>(sides: readonly Part<Of>[], builds: readonly Choice[]): Side<Of>[] =>
  sides.map(({ build, name, of }) => ({
    name: name ?? (build === undefined ? 'All builds' : buildName(builds, build)),
    of,
  }))

/** For pages whose numbers come from elsewhere: the builds of these days, and how much is counted. */
const builds = async (visit: Visit, view: DataView) =>
  stateOf(await answersOf(visit, { ...view, build: undefined, compare: undefined }, [AnswerPart.REJECTIONS]))

function stateOf(sides: readonly Side<GetAnswersResponse>[]) {
  const { builds, cut, behind, recounting, countedUntil, otherDays } = sides[0]!.of
  return {
    builds: choicesOf(sides[0]!.of),
    cut: cutName(cut),
    behind,
    recounting,
    countedUntil,
    otherDays,
    complete: sides.every(({ of }) => of.complete),
    isEmpty: builds.length === 0 && sides.every(({ of }) => of.people === 0n),
  }
}
