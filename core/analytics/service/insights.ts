import { InsightService } from '../../../gen/lrs/v1/insights_pb.js'
import { getInsights, listGameDays } from '../query/insights.ts'
import type { ActivityCounts, DayCounts, RefusalCounts } from '../store/cell/insight-counts.ts'
import { countedOf } from './counted.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

export const insightService = service(InsightService, {
  getInsights: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const studio = await studioOf(core, context)
    const insights = await getInsights(core, studio, request)
    const { days, verbs, activities, refusals, learners, teams, sessions } = insights
    return {
      days: days.map(dayOf),
      verbs: verbs.map(({ iri, name, statements }) => ({ verbId: iri, name, statements: BigInt(statements) })),
      activities: activities.map(activityOf),
      refusals: refusals.map(refusalOf),
      learners: BigInt(learners),
      teams: BigInt(teams),
      sessions: BigInt(sessions),
      ...countedOf(insights),
    }
  }),
  listGameDays: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => ({
    games: (await listGameDays(core, await studioOf(core, context), request)).map(gameDaysOf),
  })),
})

const gameDaysOf = ({ gameId, learners, learnersBefore, days }: Awaited<ReturnType<typeof listGameDays>>[number]) => ({
  gameId,
  learners: BigInt(learners),
  learnersBefore: BigInt(learnersBefore),
  days: days.map((day) => BigInt(day.learners)),
  refusals: BigInt(days.reduce((sum, { refusals }) => sum + refusals, 0)),
})

const dayOf = ({ day, statements, learners, sessions, refusals }: DayCounts) => ({
  day,
  statements: BigInt(statements),
  learners: BigInt(learners),
  sessions: BigInt(sessions),
  refusals: BigInt(refusals),
})

function activityOf({ iri, name, completions, passed, failed, scoreSum, scores }: ActivityCounts) {
  const scored = scores.reduce((sum, count) => sum + count, 0)
  const counts = {
    completions: BigInt(completions),
    passed: BigInt(passed),
    failed: BigInt(failed),
    scored: BigInt(scored),
    scores: scores.map(BigInt),
  }
  return { activityId: iri, name, ...counts, mean: scored === 0 ? 0 : scoreSum / scored }
}

const refusalOf = ({ count, last, ...refusal }: RefusalCounts) => ({
  ...refusal,
  count: BigInt(count),
  last: BigInt(Math.floor(last)),
})
