import type { GetAnswersResponse, LevelAnswer } from '../../gen/lrs/v1/answers_pb.js'
import type { analyst } from '../support/parquet.ts'

type Ask = Awaited<ReturnType<typeof analyst>>['ask']

const sumOf = (levels: readonly LevelAnswer[], name: 'attempts' | 'completed' | 'passed' | 'failed') =>
  levels.reduce((sum, level) => sum + Number(level[name]), 0)

/** What the answers say of each value of the cut, in the form of the recount. @param ask for one value */
export async function toldCut({ cutValues }: GetAnswersResponse, ask: (build: number) => Promise<GetAnswersResponse>) {
  const told = cutValues.map(async ({ number, name, people }) => {
    const { newPeople, sessions, leaving, levels } = await ask(number)
    const sums = (['attempts', 'completed', 'passed', 'failed'] as const).map((sum) => sumOf(levels!.levels, sum))
    const numbers = [people, newPeople, sessions!.sessions, leaving!.people].map(Number)
    return [name, ...numbers, ...sums] as const
  })
  return (await Promise.all(told)).toSorted(([one], [other]) => (one < other ? -1 : 1))
}

/** The same by DuckDB, where a value stands in place of the build. @param today as the charts have it */
export async function recountedCut(ask: Ask, today: string) {
  const rows = await ask(`with told as (select *, coalesce(build, 'Not told') as value from acts),
      people as (
        select learner, min(day) as first_day, max(day) as last_day,
          min_by(value, (moment, stored)) as first, max_by(value, (moment, stored)) as last
        from told where not team group by learner),
      sessions as (
        select min_by(value, (moment, stored)) as value from told where registration is not null
        group by learner, team, registration),
      counts as (
        select value, count(distinct learner) filter (not team) as people from told group by value)
    select value, people,
      (select count(*) from people p where p.first = value and not exists (
        select 1 from former f where f.learner = p.learner and f.day < p.first_day)),
      (select count(*) from sessions s where s.value = c.value),
      (select count(*) from people p where p.last = value and p.last_day <= date '${today}' - 7),
      ${['true', 'completed', 'passed', 'failed']
        .map((which) => `(select count(*) from attempts a where coalesce(a.build, 'Not told') = value and ${which})`)
        .join(', ')}
    from counts c order by value`)
  return rows.map((row) => Object.values(row).map((value, at) => (at === 0 ? value : Number(value))))
}
