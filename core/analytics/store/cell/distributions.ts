import {
  barsOf,
  countIn,
  middleOf,
  noCounts,
  quartiles,
  scoreScale,
  sumOf,
  timeScale,
  type Counts,
  type Place,
  type Scale,
} from '../../rules/facts/buckets.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import { plainColumns } from './folds/columns.ts'
import type { Run } from './folds/counter.ts'

export interface Distribution {
  readonly count: number
  readonly mean: number
  /** None, or three. */
  readonly quartiles: readonly number[]
  readonly exact: boolean
  readonly bars: readonly number[]
}

/** Up to this number of values quartiles are looked up; beyond, if their buckets have no more than `mostLooked`. */
const exactUpTo = 100_000
const mostLooked = 20_000

// the cast keeps Postgres from looking for each Activity along the whole index
const sums = {
  name: 'distribution_sums',
  text: `select t.activity, t.attempts::float8 as attempts, t.millis::float8 as millis,
      t.score_millionths::float8 as score, t.times, t.scores
    from unnest($2::bool[], $3::int[], $4::int[]) p (whole_month, first, last)
    cross join lateral (
      select t.* from attempt_tally t
      where (t.game, t.whole_month, t.day) >= ($1, p.whole_month, p.first)
        and (t.game, t.whole_month, t.day) <= ($1, p.whole_month, p.last)
        and t.activity::text = any ($6::text[]) and ($5::int is null or t.build = $5)) t`,
}
// a bucket of one value only, as scores often are, is not counted through
const nth = (name: string, column: string, type: string) => {
  const inBucket = `from attempt f where f.${column} is not null
    and (f.game, f.activity, f.${column}) >= ($1, k.activity, k.low)
    and (f.game, f.activity, f.${column}) < ($1, k.activity, k.high)`
  const order = (way: string) => `order by f.game ${way}, f.activity ${way}, f.${column} ${way}`
  return {
    name,
    text: `select k.n::int, coalesce(f.value, least.value) as value
      from unnest($5::uuid[], $6::${type}[], $7::${type}[], $8::int[]) with ordinality k (activity, low, high, rank, n)
      cross join lateral (select f.${column} as value ${inBucket} ${order('asc')} limit 1) least
      cross join lateral (select f.${column} as value ${inBucket} ${order('desc')} limit 1) most
      left join lateral (
        select f.${column} as value ${inBucket} and least.value < most.value
          and f.day between $2 and $3 and ($4::int is null or f.build = $4)
        ${order('asc')} offset k.rank limit 1) f on true`,
  }
}
const nthTime = nth('distribution_nth_time', 'millis', 'int')
const nthScore = nth('distribution_nth_score', 'score', 'float8')

interface Sum {
  attempts: number
  readonly times: Values
  readonly scores: Values
}
interface Values {
  total: number
  readonly counts: Counts
}

/**
 * How times (milliseconds) and scores of some Activities are distributed.
 * @param spans game, periods and build, as `answers_levels` has them; `range`: game, first and last day, build
 */
export async function distributions(run: Run, spans: unknown[], range: unknown[], activities: readonly Key[]) {
  const found = new Map<Key, Sum>()
  if (activities.length > 0) {
    const rows = await run<{ activity: Key; attempts: number; millis: number; score: number } & Packed>(sums, [
      ...spans,
      activities,
    ])
    for (const row of rows) {
      const sum: Sum = found.get(row.activity) ?? { attempts: 0, times: empty(timeScale), scores: empty(scoreScale) }
      found.set(row.activity, sum)
      sum.attempts += row.attempts
      sum.times.total += row.millis
      sum.scores.total += row.score / 1_000_000
      countIn(sum.times.counts, row.times)
      countIn(sum.scores.counts, row.scores)
    }
  }
  const times = await allOf(run, range, nthTime, timeScale, found, ({ times }) => times)
  const scores = await allOf(run, range, nthScore, scoreScale, found, ({ scores }) => scores)
  return {
    attempts: (activity: Key): number => found.get(activity)?.attempts ?? 0,
    of: (activity: Key) => ({
      times: times.get(activity) ?? nothing(timeScale),
      scores: scores.get(activity) ?? nothing(scoreScale),
    }),
  }
}

interface Packed {
  readonly times: Buffer
  readonly scores: Buffer
}

const empty = (scale: Scale): Values => ({ total: 0, counts: noCounts(scale) })
const nothing = ({ bars }: Scale): Distribution => ({
  count: 0,
  mean: 0,
  quartiles: [],
  exact: true,
  bars: bars.map(() => 0),
})

async function allOf(
  run: Run,
  range: unknown[],
  query: typeof nthTime,
  scale: Scale,
  found: ReadonlyMap<Key, Sum>,
  valuesOf: (sum: Sum) => Values,
): Promise<Map<Key, Distribution>> {
  const all = [...found].map(([activity, sum]) => {
    const { total, counts } = valuesOf(sum)
    const count = sumOf(counts)
    const places = quartiles(counts)
    const exact = count <= exactUpTo || places.reduce((size, place) => size + place.size, 0) <= mostLooked
    return { activity, total, counts, count, exact, places }
  })
  const looked = all.flatMap(({ activity, exact, places }) =>
    exact ? places.map((place) => ({ activity, place })) : [],
  )
  const values = new Map<Place, number>()
  if (looked.length > 0) {
    const asked = looked.map(({ activity, place: { bucket, rank } }) => ({
      activity,
      low: scale.edges[bucket]!,
      high: scale.edges[bucket + 1] ?? scale.edges[bucket]! + 1,
      rank,
    }))
    const rows = await run<{ n: number; value: number }>(query, [
      ...range,
      ...plainColumns(asked, 'activity', 'low', 'high', 'rank'),
    ])
    for (const { n, value } of rows) values.set(looked[n - 1]!.place, value)
  }
  return new Map(
    all.map(({ activity, total, counts, count, exact, places }) => [
      activity,
      {
        count,
        mean: count === 0 ? 0 : total / count,
        quartiles: places.map((place) => values.get(place) ?? middleOf(scale, place.bucket)),
        exact,
        bars: barsOf(scale, counts),
      },
    ]),
  )
}
