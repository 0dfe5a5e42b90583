import type { GetInsightsResponse } from '../../gen/lrs/v1/insights_pb.js'
import { documentedSql, type analyst } from '../support/parquet.ts'

type Ask = Awaited<ReturnType<typeof analyst>>['ask']

/** What the charts say, in the form of the recount. */
export const told = ({ days, verbs, activities, learners, sessions }: GetInsightsResponse) => ({
  learners: Number(learners),
  sessions: Number(sessions),
  days: days
    .filter((day) => day.statements > 0n)
    .map((day) => [day.day, Number(day.statements), Number(day.learners), Number(day.sessions)]),
  verbs: verbs.map(({ verbId, statements }) => [verbId, Number(statements)]).toSorted(byFirst),
  activities: activities
    .map(({ activityId, completions, passed, failed, scored, mean, scores }) => [
      activityId,
      ...[completions, passed, failed, scored].map(Number),
      Number(mean.toFixed(9)),
      scores.map(Number).join(' '),
    ])
    .toSorted(byFirst),
})

/** The same counted by DuckDB from the Parquet files, with the tables of docs/analytics.md. */
export async function recounted(ask: Ask) {
  const numbers = async (sql: string) => (await ask(sql)).map((row) => Object.values(row).map(plain))
  const { questions } = await documentedSql()
  const [[learners, sessions] = []] = await numbers(`select count(distinct learner) filter (where not team),
      (select count(*) from (select distinct learner, team, registration from acts where registration is not null))
    from acts`)
  const bins = Array.from(
    { length: 10 },
    (_, bin) => `count(scaled) filter (least(9, greatest(0, floor(scaled * 10))) = ${bin})`,
  ).join(', ')
  return {
    learners,
    sessions,
    days: await numbers(
      `select cast(day as varchar), statements, people, sessions from (${questions.get(1)!.replace(';', '')})`,
    ),
    verbs: (await numbers('select verb_iri, count(*) from statements group by 1')).toSorted(byFirst),
    activities: (
      await numbers(`with outcomes as (
          select e.activity_iri, e.score_scaled as scaled, coalesce(s.completed, false) as completed, s.success
          from exported e left join steps s on s.stored = e.stored where e.object_type = 'Activity'
        )
        select activity_iri, count(*) filter (completed), count(*) filter (success), count(*) filter (not success),
          count(scaled), round(coalesce(avg(scaled), 0), 9),
          concat_ws(' ', ${bins})
        from outcomes where completed or success is not null or scaled is not null group by 1`)
    ).toSorted(byFirst),
  }
}

const byFirst = ([a]: readonly unknown[], [b]: readonly unknown[]) => (String(a) < String(b) ? -1 : 1)
const plain = (value: unknown): unknown => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value)
