import { pack, unpackInto } from '../../../rules/facts/buckets.ts'
import { attemptCounts, attemptSums, type AttemptSum, type Sums } from '../../../rules/facts/sums.ts'
import { exactly } from '../../../../process/database/look.ts'
import { hexColumn, plainColumns } from './columns.ts'
import type { Run } from './counter.ts'

const add = {
  name: 'sums_add',
  text: `with
    returns as (
      insert into return_tally as t (game, day, build, after, learners)
      select $1, * from unnest($2::int[], $3::int[], $4::int[], $5::bigint[])
      on conflict (game, day, build, after) do update set learners = t.learners + excluded.learners),
    presence as (
      insert into presence_tally as t (game, build, day, previous, learners)
      select $1, * from unnest($6::int[], $7::int[], $8::int[], $9::bigint[])
      on conflict (game, build, day, previous) do update set learners = t.learners + excluded.learners),
    funnel as (
      insert into funnel_tally as t (game, day, build, activity, started, completed)
      select $1, * from unnest($10::int[], $11::int[], $12::uuid[], $13::bigint[], $14::bigint[])
      on conflict (game, day, build, activity) do update set
        started = t.started + excluded.started, completed = t.completed + excluded.completed)
    insert into leaving_tally as t (game, day, build, activity, during, completed)
    select $1, * from unnest($15::int[], $16::int[], $17::uuid[], $18::bigint[], $19::bigint[])
    on conflict (game, day, build, activity) do update set
      during = t.during + excluded.during, completed = t.completed + excluded.completed`,
}
const key = { game: '$1', whole_month: 'k.whole_month', day: 'k.day', activity: 'k.activity', build: 'k.build' }
const bucketsOf = {
  name: 'sums_buckets',
  text: `select k.n::int, t.times, t.scores
    from unnest($2::bool[], $3::int[], $4::uuid[], $5::int[]) with ordinality k (whole_month, day, activity, build, n)
    cross join lateral (select t.times, t.scores from attempt_tally t where ${exactly('t', key)} limit 1) t`,
}
const counts = ['attempts', 'completed', 'passed', 'failed', 'abandoned', 'millis', 'score_millionths']
const added = [...counts, 'first_tries', 'first_completed', 'first_passed', 'first_failed']
const addAttempts = {
  name: 'sums_add_attempts',
  text: `insert into attempt_tally as t (game, whole_month, day, activity, build, times, scores, ${added.join(', ')})
    select $1, * from unnest($2::bool[], $3::int[], $4::uuid[], $5::int[], $6::bytea[], $7::bytea[],
      ${added.map((_, n) => `$${n + 8}::bigint[]`).join(', ')})
    on conflict (game, whole_month, day, activity, build) do update set
      ${added.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')},
      times = excluded.times, scores = excluded.scores`,
}

/** Adds to the tallies of a game. The caller holds the game's cursor, so nobody else changes them. */
export async function addSums(run: Run, counts: number, sums: Sums): Promise<void> {
  const [returns, presence, funnel, leaving] = [
    rowsOf(sums.returns, 'learners'),
    rowsOf(sums.presence, 'learners'),
    rowsOf(sums.funnel, 'started', 'completed'),
    rowsOf(sums.leaving, 'during', 'completed'),
  ]
  if (returns.length + presence.length + funnel.length + leaving.length > 0)
    await run(add, [
      counts,
      ...plainColumns(returns, 'day', 'build', 'after', 'learners'),
      ...plainColumns(presence, 'build', 'day', 'previous', 'learners'),
      ...plainColumns(funnel, 'day', 'build', 'activity', 'started', 'completed'),
      ...plainColumns(leaving, 'day', 'build', 'activity', 'during', 'completed'),
    ])
  if (sums.attempts.size > 0) await addAttemptSums(run, counts, attemptSums(sums))
}

async function addAttemptSums(run: Run, counts: number, rows: readonly AttemptSum[]): Promise<void> {
  const place = plainColumns(rows, 'wholeMonth', 'day', 'activity', 'build')
  const found = await run<{ n: number; times: Buffer; scores: Buffer }>(bucketsOf, [counts, ...place])
  for (const { n, times, scores } of found) {
    unpackInto(rows[n - 1]!.times, times)
    unpackInto(rows[n - 1]!.scores, scores)
  }
  await run(addAttempts, [
    counts,
    ...place,
    hexColumn(rows.map(({ times }) => pack(times))),
    hexColumn(rows.map(({ scores }) => pack(scores))),
    ...plainColumns(rows, ...attemptCounts),
  ])
}

/** Rows that change something. */
const rowsOf = <Row>(rows: ReadonlyMap<string, Row>, ...values: (keyof Row)[]): Row[] =>
  [...rows.values()].filter((row) => values.some((name) => row[name] !== 0))
