import { create } from '@bufbuild/protobuf'
import { GetAnswersResponseSchema } from '../../../gen/lrs/v1/answers_pb.js'
import { GetInsightsResponseSchema } from '../../../gen/lrs/v1/insights_pb.js'
import {
  ListAlternativesResponseSchema,
  ListCompletablesResponseSchema,
  ListReachablesResponseSchema,
  ListTargetsResponseSchema,
} from '../../../gen/lrs/v1/serious_games_pb.js'
import { chartCard, type Chart } from '../../charts/chart.ts'
import { html, type Html } from '../../web/html.ts'
import type { DataView } from '../parts/data-view.ts'
import type { ChartPage } from '../parts/game-side.ts'
import { activityCharts } from './activity-charts.ts'
import { answerCharts } from './answer-charts.ts'
import type { Asked } from './asked.ts'
import { elementCharts } from './element-charts.ts'
import type { Elements } from './elements.ts'
import { attempts } from './level-charts.ts'
import { funnel } from './progress-charts.ts'
import { returnCharts } from './return-charts.ts'

/** Players who started and completed each level of the example game, and how their attempts ended. */
const levels = [
  { name: 'Level 1: The Moon', started: 118, completed: 112, passed: 112, failed: 17, abandoned: 6 },
  { name: 'Level 2: The planets', started: 97, completed: 88, passed: 88, failed: 41, abandoned: 9 },
  { name: 'Level 3: The stars', started: 71, completed: 33, passed: 33, failed: 96, abandoned: 38 },
]

const answers = create(GetAnswersResponseSchema, {
  complete: true,
  funnel: {
    people: 124n,
    levels: levels.map(({ name, started, completed }) => ({
      activityId: name,
      name,
      started: BigInt(started),
      completed: BigInt(completed),
    })),
  },
  levels: {
    levels: levels.map(({ name, passed, failed, abandoned }) => ({
      activityId: name,
      name,
      attempts: BigInt(passed + failed + abandoned),
      completed: BigInt(passed),
      passed: BigInt(passed),
      failed: BigInt(failed),
      abandoned: BigInt(abandoned),
    })),
  },
})

const returnDays = [100, 46, 38, 33, 30, 28, 26, 25, 22, 20, 19, 18, 17, 16]
const returns = create(GetAnswersResponseSchema, {
  returns: { days: returnDays.map((share, after) => ({ after, people: 100n, returned: BigInt(share) })) },
  sessions: {
    seconds: {
      count: 173n,
      firstQuartile: 95,
      median: 210,
      thirdQuartile: 480,
      exact: true,
      bins: [4n, 5n, 6n, 14n, 31n, 52n, 38n, 17n, 5n, 1n, 0n],
    },
  },
})

const alternatives = create(ListAlternativesResponseSchema, {
  alternatives: [
    { name: 'What keeps the planets near the sun?', right: 41n, wrong: 48n },
    { name: 'Which planet is the largest?', right: 66n, wrong: 21n },
    { name: 'What makes the Moon shine?', right: 97n, wrong: 13n },
  ].map(({ name, right, wrong }) => ({
    activity: { activityId: name, name },
    chosen: right + wrong,
    players: right + wrong,
    right,
    wrong,
  })),
})

const elements: Elements = {
  completables: create(ListCompletablesResponseSchema, {
    completables: levels.map(({ name, started, completed }) => ({
      activity: { activityId: name, name },
      players: BigInt(started),
      highest: [2, 3, 0, 1, 0, 2, 1, 0, 0, 0].map(BigInt).concat(BigInt(completed)),
    })),
  }),
  reachables: create(ListReachablesResponseSchema, {
    reachables: [
      { name: 'The opening', accessed: 173n, skipped: 96n },
      { name: 'The star map', accessed: 168n, skipped: 0n },
    ].map(({ name, accessed, skipped }) => ({
      activity: { activityId: name, name },
      accessed,
      skipped,
      accessedBy: 124n,
      skippedBy: skipped > 0n ? 71n : 0n,
    })),
  }),
  targets: create(ListTargetsResponseSchema),
}

const dayMs = 86_400_000
const players = [9, 12, 8, 14, 19, 22, 17]
const insights = create(GetInsightsResponseSchema, {
  learners: 58n,
  sessions: 143n,
  zone: 'UTC',
  days: players.map((count, at) => ({
    day: new Date(Date.UTC(2026, 0, 12) + at * dayMs).toISOString().slice(0, 10),
    learners: BigInt(count),
    sessions: BigInt(Math.round(count * 1.4)),
    statements: BigInt(count * 31),
  })),
})

const charts: Partial<Record<ChartPage, (of: Asked) => Chart[]>> = {
  'data/activity': (of) => activityCharts(of, insights).slice(0, 2),
  'data/return': () => returnCharts(all(returns)).slice(0, 2),
  'data/answers': (of) => answerCharts(of, all(alternatives)).slice(0, 1),
  'data/elements': (of) => elementCharts(of, all(elements), undefined).slice(1, 3),
}
const all = <Of>(of: Of) => [{ name: 'All builds', of }]

/** What a page without data will answer, with invented numbers of Star Trail, the example game. */
export function exampleCharts(asked: Asked, page: ChartPage): Html {
  const view: DataView = { ...asked.view, chosen: undefined, days: 7 }
  const of: Asked = { ...asked, view, name: ({ name }) => name, href: () => '/docs/serious-games' }
  const shown = charts[page]?.(of) ?? [funnel(of, all(answers)), attempts(of, all(answers))]
  return html`<section class="example" aria-labelledby="example">
      <h2 id="example">What you will see here: an example</h2>
      <p class="hint">These are invented numbers of Star Trail, the example game. Yours appear with the first
      statement.</p>
      <div class="questions">${shown.map((chart, at) => chartCard(chart, `example-${at}`))}</div></section>`
}
