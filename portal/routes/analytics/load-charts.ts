import { AnswerPart, type GetAnswersResponse } from '../../../gen/lrs/v1/answers_pb.js'
import type { GetInsightsResponse } from '../../../gen/lrs/v1/insights_pb.js'
import { isCutValue } from '../../../shared/result-address.ts'
import type { Side } from '../../charts/sides.ts'
import { answerCharts } from '../../pages/analytics/answer-charts.ts'
import { compareCharts } from '../../pages/analytics/compare-charts.ts'
import { choicesOf, cutName, type Asked } from '../../pages/analytics/asked.ts'
import { buildName, daysBefore, daysOf, type Choice } from '../../pages/parts/data-filters.ts'
import type { DataView } from '../../pages/parts/data-view.ts'
import type { ChartPage } from '../../pages/parts/game-side.ts'
import type { Shown } from '../../pages/analytics/data-page.ts'
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
import { html, type Html } from '../../web/html.ts'
import type { CoreClient } from '../../web/core-client.ts'

/** The game whose charts are made, and for whom. */
export interface Played {
  readonly core: CoreClient
  readonly gameId: string
  /** The IRI of the activity that its page is about; empty: none. */
  readonly of: string
}

type Loader = (at: Played, view: DataView) => Promise<(asked: Asked) => Omit<Shown, 'page'>>

export const chartLoaders: Readonly<Record<ChartPage, Loader>> = {
  async ''(at, view) {
    const { build: _build, compare: _compare, ...all } = view
    const [now, before, { views }] = await Promise.all([
      periodOf(at, all, [AnswerPart.SESSIONS, AnswerPart.FUNNEL, AnswerPart.HELP, AnswerPart.REJECTIONS]),
      periodOf(at, { ...all, chosen: daysBefore(daysOf(view)) }, [AnswerPart.SESSIONS]),
      at.core.watching.listViews({ gameId: at.gameId }),
    ])
    const { insights, answers } = now
    const sides = named([{ build: undefined, of: answers }], answers.builds)
    const pair = await pairOf(at, all, answers.builds)
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
  async 'data/activity'(at, view) {
    const insights = await insightsOf(at, view)
    return (asked) => ({ charts: activityCharts(asked, insights), ...counting(insights) })
  },
  async 'data/progress'(at, view) {
    const parts = [AnswerPart.FUNNEL, AnswerPart.LEVELS, AnswerPart.LEAVING]
    const sides = await answersOf(at, view, parts)
    return (asked) => ({ charts: progressCharts(asked, sides), ...stateOf(sides) })
  },
  async 'data/compare'(at, view) {
    const state = await builds(at, view)
    if (view.compare === 'before') {
      const [now, before] = await answersOf(at, view, [AnswerPart.LEVELS])
      return (asked) => ({ charts: compareCharts(asked, [now!, before!]), arrange: inColumns('alone'), ...state })
    }
    const found = await pairOf(at, view, state.builds)
    const pair = found && { build: found.builds[0].number, compare: found.builds[1].number }
    return (asked) => ({
      charts: compareCharts({ ...asked, view: { ...view, ...pair } }, found?.sides),
      arrange: inColumns('alone'),
      ...state,
      ...(pair && { pair }),
    })
  },
  async 'data/return'(at, view) {
    const sides = await answersOf(at, view, [AnswerPart.RETURNS, AnswerPart.SESSIONS])
    return () => ({ charts: returnCharts(sides), ...stateOf(sides) })
  },
  async 'data/answers'(at, view) {
    const [state, sides] = await Promise.all([
      builds(at, view),
      sidesOf(at, view, (of) => at.core.seriousGames.listAlternatives(of)),
    ])
    return (asked) => ({
      charts: answerCharts(asked, named(sides, state.builds), at.of),
      arrange: inColumns('thirds'),
      ...state,
    })
  },
  async 'data/elements'(at, view) {
    const { seriousGames } = at.core
    const [state, sides] = await Promise.all([
      builds(at, view),
      sidesOf(at, view, async (of): Promise<Elements> => {
        const [completables, reachables, targets] = await Promise.all([
          seriousGames.listCompletables(of),
          seriousGames.listReachables(of),
          seriousGames.listTargets(of),
        ])
        return { completables, reachables, targets }
      }),
    ])
    const { completables } = sides[0]!.of.completables
    const activityId = at.of || mostOpen(completables)
    const players =
      activityId === undefined
        ? undefined
        : await seriousGames.listProgress({ ...playedIn(at, view, view.build), activityId })
    return (asked) => ({ charts: elementCharts(asked, named(sides, state.builds), players), ...state })
  },
  async 'data/problems'(at, view) {
    const [insights, sides, clients] = await Promise.all([
      insightsOf(at, view),
      answersOf(at, view, [AnswerPart.REJECTIONS]),
      at.core.learners.listClientVersions({ gameId: at.gameId, sandbox: view.sandbox }),
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

async function periodOf(at: Played, view: DataView, parts: AnswerPart[]): Promise<Period> {
  const [insights, [side]] = await Promise.all([insightsOf(at, view), answersOf(at, view, parts)])
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

const insightsOf = (at: Played, view: DataView) =>
  at.core.insights.getInsights({ gameId: at.gameId, ...daysOf(view), sandbox: view.sandbox })

export const withoutCut = (view: DataView): DataView =>
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
  at: Played,
  view: DataView,
  ask: (of: ReturnType<typeof playedIn>) => Promise<Of>,
): Promise<Part<Of>[]> {
  const { build, compare } = view
  const now = { build, ...(compare === 'before' && { name: 'This period' }), view }
  const earlier = { build, name: 'The period before', view: { ...view, chosen: daysBefore(daysOf(view)) } }
  const beside = compare === 'before' ? [earlier] : compare === undefined ? [] : [{ build: compare, view }]
  return Promise.all(
    [now, ...beside].map(async ({ view, ...side }) => ({ ...side, of: await ask(playedIn(at, view, side.build)) })),
  )
}

const playedIn = (at: Played, view: DataView, build: number | undefined) => ({
  gameId: at.gameId,
  ...daysOf(view),
  sandbox: view.sandbox,
  ...(build === undefined ? {} : { build }),
})

async function answersOf(at: Played, view: DataView, parts: AnswerPart[]): Promise<Side<GetAnswersResponse>[]> {
  const sides = await sidesOf(at, view, (of) => at.core.answers.getAnswers({ ...of, parts }))
  return named(sides, choicesOf(sides[0]!.of))
}

/** The builds of the view; where it has none, the newest one and the one before. Undefined: there are no two. */
async function pairOf(at: Played, view: DataView, all: readonly Choice[]) {
  const isOfCut = isCutValue(view.build) || isCutValue(view.compare)
  const known = all.filter((one) => one.number > 0 && one.number !== view.compare && isCutValue(one.number) === isOfCut)
  const now = all.find(({ number }) => number === view.build) ?? known[0]
  const before =
    all.find(({ number }) => number === view.compare) ??
    known[known.findIndex(({ number }) => number === now?.number) + 1]
  if (!now || !before) return undefined
  const both = { ...view, build: now.number, compare: before.number }
  const [first, second] = await answersOf(at, both, [AnswerPart.LEVELS])
  return { builds: [now, before] as const, sides: [first!, second!] as const }
}

const named = <Of>(sides: readonly Part<Of>[], builds: readonly Choice[]): Side<Of>[] =>
  sides.map(({ build, name, of }) => ({
    name: name ?? (build === undefined ? 'All builds' : buildName(builds, build)),
    of,
  }))

/** For pages whose numbers come from elsewhere: the builds of these days, and how much is counted. */
const builds = async (at: Played, view: DataView) =>
  stateOf(await answersOf(at, { ...view, build: undefined, compare: undefined }, [AnswerPart.REJECTIONS]))

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
