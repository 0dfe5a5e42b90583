import { isWholeGame } from '../../../rules/attempts.ts'
import { scoreBins, tally, type Tallies } from '../../../rules/tally.ts'
import type { Countable, Names, Turn } from '../../../rules/turn.ts'
import type { Key } from '../../../../records/xapi/identify.ts'
import { exactly } from '../../../../process/database/look.ts'
import { columns, plainArray, plainColumns } from './columns.ts'
import type { Run } from './counter.ts'

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
    names as (
      insert into tally_name as k (game, key, iri, name, type, contains)
      select $1, * from unnest($12::uuid[], $13::text[], $14::text[], $15::text[], $16::bool[])
      on conflict (game, key) do update set
        name = coalesce(nullif(excluded.name, ''), k.name), type = coalesce(nullif(excluded.type, ''), k.type),
        contains = k.contains or excluded.contains
      where excluded.name not in ('', k.name) or excluded.type not in ('', k.type)
        or excluded.contains and not k.contains)
    select`,
}

const namesOf = {
  name: 'tally_names_known',
  text: `select n.key, n.iri, n.type, n.contains from unnest($2::uuid[]) k (key)
    cross join lateral (select * from tally_name n where ${exactly('n', { game: '$1', key: 'k.key' })} limit 1) n`,
}
const addRecounts = {
  name: 'tally_regroup',
  text: `insert into recount (game, actor)
    select $1, l.actor from unnest($2::uuid[]) k (activity)
    cross join lateral (
      select l.actor from learner_level l where ${exactly('l', { game: '$1', activity: 'k.activity' })} offset 0) l
    on conflict (game, actor) do update set after = 0`,
}

/**
 * Counts statements of each day and outcomes of Activities, and keeps names. People who were counted at an Activity that
 * turns out to be the game itself, or none, are counted again.
 * @param gameId UUID
 */
export async function chartCounts(run: Run, counts: number, turns: readonly Turn[], gameId: string): Promise<Names> {
  const tallies = tally(turns)
  const known = await knownNames(run, counts, tallies.names)
  await add(run, counts, tallies)
  const isWhole = ({ iri, type, contains }: NameRow) => isWholeGame(iri, type, contains, gameId)
  const now = tallies.names.map((one) => {
    const before = known.get(one.key)
    return { ...one, type: one.type || (before?.type ?? ''), contains: one.contains || (before?.contains ?? false) }
  })
  const changed = now.filter((one) => known.has(one.key) && isWhole(known.get(one.key)!) !== isWhole(one))
  if (changed.length > 0) await run(addRecounts, [counts, changed.map(({ key }) => key)])
  return { wholeGames: new Set(now.filter(isWhole).map(({ key }) => key)) }
}

/** What is known of the Activities of these statements, which were counted before. */
export async function namesOfTurns(run: Run, counts: number, turns: readonly Turn[], gameId: string): Promise<Names> {
  const keys = new Set(turns.flatMap(({ activity }) => (activity === null ? [] : [{ key: activity }])))
  const known = await knownNames(run, counts, [...keys])
  const whole = [...known.values()].filter(({ iri, type, contains }) => isWholeGame(iri, type, contains, gameId))
  return { wholeGames: new Set(whole.map(({ key }) => key)) }
}

interface NameRow {
  readonly key: Key
  readonly iri: string
  readonly type: string
  readonly contains: boolean
}

async function knownNames(run: Run, counts: number, of: readonly { readonly key: Key }[]) {
  const rows = await run<NameRow & Record<string, unknown>>(namesOf, [counts, plainArray(of.map(({ key }) => key))])
  return new Map(rows.map((row) => [row.key, row]))
}

/** Takes removed statements off. */
export const chartCountsOff = (run: Run, counts: number, removed: readonly Countable[]): Promise<void> =>
  add(run, counts, tally([], removed))

async function add(run: Run, counts: number, { verbs, activities, names }: Tallies): Promise<void> {
  await run(addTallies, [
    counts,
    ...plainColumns(verbs, 'day', 'verb', 'statements'),
    ...plainColumns(activities, 'day', 'activity', 'completions', 'passed', 'failed', 'scoreSum'),
    plainArray(activities.map(({ scores }) => `"{${scores.join()}}"`)),
    ...columns(names, 'key', 'iri', 'name', 'type', 'contains'),
  ])
}
