import { none } from '../../rules/facts/partition.ts'
import { scoreBins } from '../../rules/tally.ts'
import { allBuilds, teamsOf } from '../../rules/turn.ts'
import type { Database } from '../../../process/database/database.ts'
import type {
  Days,
  DayCounts,
  VerbCounts,
  ActivityCounts,
  RefusalCounts,
  Insights,
  PlayersOfDays,
} from './insight-counts.ts'
import { reachedBy } from './cursors.ts'
import { range, refusals } from './refused.ts'

const mostVerbs = 20
const mostActivities = 50

const dayNumbers = `game = $1 and day between $2::date - date '1970-01-01' and $3::date - date '1970-01-01'`
const dayOf = "date '1970-01-01' + day"
const days = {
  name: 'insights_days',
  text: `select to_char(day, 'YYYY-MM-DD') as day, sum(statements)::float8 as statements,
      sum(learners)::float8 as learners,
      sum(sessions)::float8 as sessions, sum(refusals)::float8 as refusals
    from (
      select day, sum(statements) as statements, 0 as learners, 0 as sessions, 0 as refusals
        from verb_tally where ${range} group by day
      union all select ${dayOf}, 0, sum(learners), 0, 0 from presence_tally
        where ${dayNumbers} and build = ${allBuilds} group by day
      union all select ${dayOf}, 0, 0, sum(attempts), 0 from attempt_tally
        where ${dayNumbers} and not whole_month and activity = '${none}' group by day
      union all select day, 0, 0, 0, sum(count) from refusal_tally
        where game = abs($1) and day between $2 and $3 group by day
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
const different = {
  name: 'insights_different',
  text: `select coalesce(sum(learners) filter (where build = ${allBuilds}), 0)::float8 as learners,
      coalesce(sum(learners) filter (where build <> ${allBuilds}), 0)::float8 as teams
    from presence_tally where ${dayNumbers} and build in (${allBuilds}, ${teamsOf(allBuilds)})
      and previous < $2::date - date '1970-01-01'`,
}

/** Reads the figures of the charts from the tallies. */
export function insightStore({ snapshot }: Pick<Database, 'snapshot'>) {
  return {
    /** How many people played on some days, and in the days before. */
    readPlayers: (game: number, { from, to }: Days, before: Days): Promise<PlayersOfDays> =>
      snapshot(async (run) => {
        const { counts } = await reachedBy(run, game)
        const learnersIn = async (of: Days) =>
          (await run<{ learners: number }>(different, [counts, of.from, of.to]))[0]!.learners
        return {
          learners: await learnersIn({ from, to }),
          learnersBefore: await learnersIn(before),
          days: await run<DayCounts>(days, [counts, from, to]),
        }
      }),
    /** The counts of some days, from one snapshot. */
    read: (game: number, { from, to }: Days): Promise<Insights> =>
      snapshot(async (run) => {
        const { counts, cut: _cut, ...counted } = await reachedBy(run, game)
        const values = [counts, from, to]
        const [people] = await run<{ learners: number; teams: number }>(different, values)
        const told = await run<DayCounts>(days, values)
        return {
          ...counted,
          ...people!,
          sessions: told.reduce((sum, { sessions }) => sum + sessions, 0),
          days: told,
          verbs: await run<VerbCounts>(verbs, values),
          activities: await run<ActivityCounts>(activities, values),
          refusals: await run<RefusalCounts>(refusals, [game, from, to]),
        }
      }),
  }
}
