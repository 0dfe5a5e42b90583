import type { ServiceImpl } from '@connectrpc/connect'
import type { InsightService } from '../../../gen/lrs/v1/insights_pb.js'
import type { Core } from '../../context.ts'
import { getInsights } from '../../query/insights.ts'
import type { ActivityCounts, DayCounts, RefusalCounts } from '../../store/cell/insight-counts.ts'
import { developer, isAdmin } from './developer.ts'

export function insightService(core: Core): ServiceImpl<typeof InsightService> {
  return {
    async getInsights(request, context) {
      const studio = isAdmin(core, context) ? undefined : (await developer(core, context)).studio
      const { days, verbs, activities, refusals, learners, sessions, behind } = await getInsights(core, studio, request)
      return {
        days: days.map(dayOf),
        verbs: verbs.map(({ iri, name, statements }) => ({ verbId: iri, name, statements: BigInt(statements) })),
        activities: activities.map(activityOf),
        refusals: refusals.map(refusalOf),
        learners: BigInt(learners),
        sessions: BigInt(sessions),
        complete: behind === 0,
        behind: BigInt(behind),
      }
    },
  }
}

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
