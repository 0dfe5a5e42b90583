import { scoreBins } from '../../rules/tally.ts'
import type { Database } from '../../../process/database/database.ts'
import type { Days, DayCounts, VerbCounts, ActivityCounts, RefusalCounts, Insights } from './insight-counts.ts'
import { range, refusals } from './refused.ts'

const behindAtMost = 1_000_000
const mostVerbs = 20
const mostActivities = 50

const days = {
  name: 'insights_days',
  text: `select to_char(day, 'YYYY-MM-DD') as day, sum(statements)::float8 as statements,
      sum(learners)::float8 as learners,
      sum(sessions)::float8 as sessions, sum(refusals)::float8 as refusals
    from (
      select day, sum(statements) as statements, 0 as learners, 0 as sessions, 0 as refusals
        from verb_tally where ${range} group by day
      union all select day, 0, count(*), 0, 0 from learner_day where ${range} group by day
      union all select day, 0, 0, count(*), 0 from session_day where ${range} group by day
      union all select day, 0, 0, 0, sum(count) from refusal_tally where ${range} group by day
    ) d group by day order by day`,
}
const verbs = {
  name: 'insights_verbs',
  text: `select n.iri, n.name, v.statements
    from (
      select verb, sum(statements)::float8 as statements
      from verb_tally where ${range} group by verb having sum(statements) > 0) v
    join tally_name n on n.game = $1 and n.key = v.verb
    order by v.statements desc, n.iri limit ${mostVerbs}`,
}
const bins = Array.from({ length: scoreBins }, (_, n) => `sum(scores[${n + 1}])::float8`).join(', ')
const activities = {
  name: 'insights_activities',
  text: `select n.iri, n.name, a.completions, a.passed, a.failed, a.score_sum as "scoreSum", a.scores
    from (
      select activity, sum(completions)::float8 as completions, sum(passed)::float8 as passed,
        sum(failed)::float8 as failed,
        sum(score_sum) as score_sum, array[${bins}] as scores
      from activity_tally where ${range} group by activity
    ) a
    cross join lateral (select sum(score) as scored from unnest(a.scores) score) s
    join tally_name n on n.game = $1 and n.key = a.activity
    where completions + passed + failed + s.scored > 0
    order by completions > 0 desc, greatest(completions, passed + failed, s.scored) desc, n.iri
    limit ${mostActivities}`,
}
const distinct = {
  name: 'insights_distinct',
  text: `select (select count(*) from (select from learner_day where ${range} group by actor) l)::float8 as learners,
    (select count(*) from (select from session_day where ${range} group by registration) s)::float8 as sessions`,
}
/** How many statements of a game are not counted yet. */
export const behind = {
  name: 'insights_behind',
  text: `select count(*)::float8 as behind from (
    (select from statement
      where game = $1 and stored > coalesce((select stored from tally_cursor where game = $1), 0)
      limit ${behindAtMost})
    union all (select from recount where game = $1 limit ${behindAtMost})) s`,
}

/** Reads the figures of the charts from the tallies. */
export function insightStore({ transaction }: Pick<Database, 'transaction'>) {
  return {
    /** The counts of some days, on one connection. */
    read: (game: number, { from, to }: Days): Promise<Insights> =>
      transaction(async (run) => {
        const values = [game, from, to]
        const [everybody] = await run<{ learners: number; sessions: number }>(distinct, values)
        return {
          ...everybody!,
          behind: await behindOf(run, game),
          days: await run<DayCounts>(days, values),
          verbs: await run<VerbCounts>(verbs, values),
          activities: await run<ActivityCounts>(activities, values),
          refusals: await run<RefusalCounts>(refusals, values),
        }
      }),
  }
}

/** Statements of a game that are not counted yet, at most `behindAtMost`. */
export const behindOf = async (run: Database['run'], game: number): Promise<number> =>
  (await run<{ behind: number }>(behind, [game]))[0]!.behind
