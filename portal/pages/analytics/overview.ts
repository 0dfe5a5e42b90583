import type { GetAnswersResponse } from '../../../gen/lrs/v1/answers_pb.js'
import type { GetInsightsResponse } from '../../../gen/lrs/v1/insights_pb.js'
import { amount, duration } from '../../charts/words.ts'
import { html, type Html } from '../../web/html.ts'
import { inDays } from '../parts/data-filters.ts'
import { dataPath } from '../parts/data-view.ts'
import { trendOf } from '../parts/trend.ts'
import type { Asked } from './asked.ts'

/** What core counted in a period. */
export interface Period {
  readonly insights: GetInsightsResponse
  readonly answers: GetAnswersResponse
}

/** The most important numbers, each against the period before. */
export function overviewTiles({ game, view }: Asked, now: Period, before: Period): Html {
  const at = (page: string) => dataPath(game, page, view)
  const tile = (name: string, value: string, href: string, trend: Html | false = false) =>
    html`<div class="card"><dt>${name}</dt><dd><a href="${href}">${value}</a>${trend}</dd></div>`
  const counts = (name: string, page: string, pick: (period: Period) => number) =>
    tile(name, amount(pick(now)), at(page), trendOf(pick(now), pick(before), view.chosen ? 'the days' : inDays(view)))
  const seconds = now.answers.sessions?.seconds
  return html`<dl class="tiles">
        ${counts('Players', 'data/activity', ({ insights }) => Number(insights.learners))}
        ${counts('New players', 'data/return', ({ answers }) => Number(answers.newPeople))}
        ${now.insights.teams > 0n && counts('Teams', 'data/activity', ({ insights }) => Number(insights.teams))}
        ${counts('Sessions', 'data/activity', ({ insights }) => Number(insights.sessions))}
        ${seconds && seconds.count > 0n && tile('Median session', duration(seconds.median), at('data/return'))}
        ${counts('Refused requests', 'data/problems', refusalsOf)}
      </dl>`
}

const refusalsOf = ({ insights }: Period): number =>
  insights.days.reduce((sum, { refusals }) => sum + Number(refusals), 0)
