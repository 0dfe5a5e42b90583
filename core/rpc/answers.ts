import type { ServiceImpl } from '@connectrpc/connect'
import type { AnswerService } from '../../gen/lrs/v1/answers_pb.js'
import type { Core } from '../context.ts'
import { getInsights } from '../query/insights.ts'
import { developer, isAdmin } from './developer.ts'

export function answerService(core: Core): ServiceImpl<typeof AnswerService> {
  return {
    async getAnswers(request, context) {
      const studio = isAdmin(core, context) ? undefined : (await developer(core, context)).studio
      const insights = await getInsights(core, studio, request)
      const { behind, learners, sessions, activities, refusals } = insights
      return {
        complete: behind === 0,
        behind: BigInt(behind),
        people: BigInt(learners),
        levels: {
          levels: activities.map(({ iri, name, completions, passed, failed }) => ({
            activityId: iri,
            name,
            attempts: BigInt(Math.max(completions, passed + failed)),
            completed: BigInt(completions),
            passed: BigInt(passed),
            failed: BigInt(failed),
          })),
        },
        sessions: { sessions: BigInt(sessions) },
        rejections: {
          count: BigInt(refusals.reduce((sum, { count }) => sum + count, 0)),
          rejections: refusals.map((refusal) => ({
            ...refusal,
            count: BigInt(refusal.count),
            last: BigInt(Math.floor(refusal.last)),
          })),
        },
      }
    },
  }
}
