import type { Distribution, GetAnswersResponse } from '../../gen/lrs/v1/answers_pb.js'
import type { analyst } from '../support/parquet.ts'

type Ask = Awaited<ReturnType<typeof analyst>>['ask']

const byFirst = ([a]: readonly unknown[], [b]: readonly unknown[]) => (String(a) < String(b) ? -1 : 1)
const plain = (value: unknown): unknown => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value)
const rounded = (value: number): number => Number(value.toFixed(6))

/** What the answers about a game say, for the whole of it, in the form of the recount. */
export function toldAnswers({
  people,
  teams,
  newPeople,
  funnel,
  levels,
  leaving,
  sessions,
  returns,
}: GetAnswersResponse) {
  return {
    people: Number(people),
    teams: Number(teams),
    newPeople: Number(newPeople),
    funnel: funnel!.levels
      .map(({ activityId, started, completed }) => [activityId, Number(started), Number(completed)])
      .toSorted(byFirst),
    levels: levels!.levels
      .map(({ activityId, attempts, completed, passed, failed, abandoned, seconds, scores }) => [
        activityId,
        ...[attempts, completed, passed, failed, abandoned].map(Number),
        ...figuresOf(seconds!),
        ...figuresOf(scores!),
      ])
      .toSorted(byFirst),
    leaving: leaving!.levels
      .map(({ activityId, during, after }) => [activityId, Number(during), Number(after)])
      .toSorted(byFirst),
    sessionLengths: [Number(sessions!.sessions), ...figuresOf(sessions!.seconds!)],
    returns: returns!.cohorts
      .filter(({ people }) => people > 0n)
      .map((cohort) => [cohort.day, Number(cohort.people), numberOf(cohort.after1), numberOf(cohort.after7)]),
  }
}

const numberOf = (value: bigint | undefined) => (value === undefined ? null : Number(value))
const figuresOf = ({ count, firstQuartile, median, thirdQuartile }: Distribution) => [
  Number(count),
  ...[firstQuartile, median, thirdQuartile].map(rounded),
]

/**
 * The same counted by DuckDB, with the tables of docs/analytics.md. `acts` has the statements without voiding ones,
 * `former` first days of people whose statements have expired.
 * @param today as the charts have it
 */
export async function recountedAnswers(ask: Ask, today: string) {
  const firsts = `days as (select distinct learner, day from acts where not team),
    firsts as (
      select learner, min(day) as first from days group by learner
      having not exists (select 1 from former f where f.learner = days.learner and f.day < min(days.day)))`
  const rows = async (sql: string) => (await ask(sql)).map((row) => Object.values(row).map(plain))
  const figures = (value: string) =>
    `count(${value}), ${[0.25, 0.5, 0.75]
      .map((at) => `coalesce(round(quantile_disc(${value}, ${at}), 6), 0)`)
      .join(', ')}`
  const [[people, teams] = []] = await rows(
    'select count(distinct learner) filter (not team), count(distinct learner) filter (team) from acts',
  )
  const [[newPeople] = []] = await rows(`with ${firsts} select count(*) from firsts`)
  const [sessions] = await rows(`with sessions as (
      select (max(moment) - min(moment)) / 1000 as seconds
      from acts where registration is not null group by learner, team, registration),
    short as (select case when seconds <= 86400 then seconds end as seconds from sessions)
    select count(*), ${figures('seconds')} from short`)
  return {
    people,
    teams,
    newPeople,
    funnel: (
      await rows(`with ${firsts} select activity_iri, count(distinct learner),
          count(distinct learner) filter (completed)
        from attempts join firsts using (learner) where not team group by 1`)
    ).toSorted(byFirst),
    levels: (
      await rows(`select activity_iri, count(*), count(*) filter (completed), count(*) filter (passed),
          count(*) filter (failed), count(*) filter (abandoned),
          ${figures('seconds')}, ${figures('score')}
        from attempts group by 1`)
    ).toSorted(byFirst),
    leaving: (
      await rows(`with ranked as (
          select learner, activity_iri, completed,
            row_number() over (partition by learner order by last_step desc) as place
          from attempts join names using (activity_iri) where not whole_game and not team),
        gone as (select learner from acts where not team group by learner
          having max(day) <= date '${today}' - 7)
        select activity_iri, count(*) filter (not completed), count(*) filter (completed)
        from gone join ranked using (learner) where place = 1 group by 1`)
    ).toSorted(byFirst),
    sessionLengths: sessions,
    returns: await rows(`with ${firsts}
      select cast(first as varchar), count(distinct learner),
        case when first + 1 < date '${today}' then count(distinct learner) filter (day - first = 1) end,
        case when first + 7 < date '${today}' then count(distinct learner) filter (day - first = 7) end
      from days join firsts using (learner) group by first order by first`),
  }
}
