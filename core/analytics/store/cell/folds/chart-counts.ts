import { scoreBins, tally } from '../../../rules/tally.ts'
import { columns } from './columns.ts'
import type { Counter } from './counter.ts'

const added = (table: string, columns: string[]) =>
  columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
const addedBins = Array.from({ length: scoreBins }, (_, n) => `a.scores[${n + 1}] + excluded.scores[${n + 1}]`).join(
  ', ',
)
const addTallies = {
  name: 'add_tallies',
  text: `with
    verbs as (
      insert into verb_tally as v (game, day, verb, statements)
      select $1, * from unnest($2::date[], $3::uuid[], $4::bigint[])
      on conflict (game, day, verb) do update set ${added('v', ['statements'])}),
    activities as (
      insert into activity_tally as a (game, day, activity, completions, passed, failed, score_sum, scores)
      select $1, day, activity, completions, passed, failed, score_sum, scores::bigint[]
      from unnest($5::date[], $6::uuid[], $7::bigint[], $8::bigint[], $9::bigint[], $10::float8[], $11::text[])
        n (day, activity, completions, passed, failed, score_sum, scores)
      on conflict (game, day, activity) do update set
        ${added('a', ['completions', 'passed', 'failed', 'score_sum'])}, scores = array[${addedBins}]),
    learners as (
      insert into learner_day (game, day, actor)
      select $1, * from unnest($12::date[], $13::uuid[]) on conflict do nothing),
    sessions as (
      insert into session_day (game, day, registration)
      select $1, * from unnest($14::date[], $15::uuid[]) on conflict do nothing),
    names as (
      insert into tally_name as k (game, key, iri, name, type)
      select $1, * from unnest($16::uuid[], $17::text[], $18::text[], $19::text[])
      on conflict (game, key) do update set
        name = coalesce(nullif(excluded.name, ''), k.name), type = coalesce(nullif(excluded.type, ''), k.type)
      where excluded.name not in ('', k.name) or excluded.type not in ('', k.type))
    select`,
}

/** Statements, learners and sessions of each day, outcomes of Activities, and names. */
export const chartCounts: Counter = {
  async add(run, game, turns) {
    const { verbs, activities, learners, sessions, names } = tally(turns)
    await run(addTallies, [
      game,
      ...columns(verbs, 'day', 'verb', 'statements'),
      ...columns(activities, 'day', 'activity', 'completions', 'passed', 'failed', 'scoreSum'),
      activities.map(({ scores }) => `{${scores.join()}}`),
      ...columns(learners, 'day', 'actor'),
      ...columns(sessions, 'day', 'registration'),
      ...columns(names, 'key', 'iri', 'name', 'type'),
    ])
  },
}
