import { InsightService } from '../../../gen/lrs/v1/insights_pb.js'
import { getInsights, listGameDays } from '../query/insights.ts'
import type { ActivityCounts } from '../store/cell/insight-counts.ts'
import { countedOf } from './counted.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

export const insightService = service(InsightService, {
  getInsights: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => {
    const studio = await studioOf(core, context)
    const insights = await getInsights(core, studio, request)
    return {
      ...countedOf(insights),
      verbs: insights.verbs.map((verb) => ({ ...verb, verbId: verb.iri })),
      activities: insights.activities.map(activityOf),
    }
  }),
  listGameDays: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => ({
    games: (await listGameDays(core, await studioOf(core, context), request)).map(gameDaysOf),
  })),
})

const gameDaysOf = ({ days, ...game }: Awaited<ReturnType<typeof listGameDays>>[number]) => ({
  ...game,
  days: days.map(({ learners }) => learners),
  refusals: days.reduce((sum, { refusals }) => sum + refusals, 0),
})

function activityOf({ iri, scoreSum, scores, ...counts }: ActivityCounts) {
  const scored = scores.reduce((sum, count) => sum + count, 0)
  return { ...counts, activityId: iri, scores, scored, mean: scored === 0 ? 0 : scoreSum / scored }
}
