import { teamKey } from '../../rules/turn.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import { addCursor, countedNow, holdCursor, type Clock } from './cursors.ts'
import { chartCountsOff } from './folds/chart-counts.ts'
import type { Run } from './folds/counter.ts'
import { learnerCounters } from './folds/counters.ts'
import { cutKey, forgetValues } from './folds/cuts.ts'
import { turnsOf, turnsOff, type TurnRow } from './folds/turns.ts'

const addRecounts = {
  name: 'recount_add_removed',
  text: `insert into recount as r (game, actor) select $1, * from unnest($2::uuid[])
    on conflict (game, actor) do update set after = 0`,
}
const endRecounts = {
  name: 'recount_end_all',
  text: 'delete from recount where game in ($1, -$1::int) and actor = any ($2::uuid[])',
}
const ownTables = ['learner_fact', 'learner_level', 'active_day', 'attempt', 'play_person']
const deleteOf = ownTables.map((table) => ({
  name: `forget_rows_${table}`,
  text: `delete from ${table} where game = any ($1::int[]) and actor = any ($2::uuid[])`,
}))
const deleteValues = { name: 'forget_values', text: 'delete from tally_cut where game = $1' }
const emptyDays = {
  name: 'forget_empty_days',
  text: `with verbs as (delete from verb_tally where game = $1 and day < $2::date and statements = 0),
      activities as (
        delete from activity_tally where game = $1 and day < $2::date
          and (completions, passed, failed) = (0, 0, 0) and 0 = all (scores))
    delete from counted_day c where c.game = $1 and c.day < $2::date - date '1970-01-01' and not exists (
      select from verb_tally v
      where (v.game, v.day) = ($1, date '1970-01-01' + c.day) and v.statements <> 0)`,
}

/** Takes off all that was counted of these people, and of teams with the same accounts. */
export async function forgetActors(run: Run, counts: number, actors: readonly Key[], hasCut: boolean): Promise<void> {
  const both = [...actors, ...actors.map(teamKey)]
  for (const counter of learnerCounters) {
    await counter.forget(run, counts, both)
    if (hasCut) await counter.forget(run, cutKey(counts), both)
  }
  if (hasCut) await forgetValues(run, cutKey(counts))
}

/** Takes the cursor of the game: nothing is counted until the transaction ends. Returns whether anything was before. */
export async function holdCounts(run: Run, game: number): Promise<boolean> {
  await addCursor(run, game)
  const cursor = await holdCursor(run, game)
  return cursor !== undefined && Math.max(cursor.stored, cursor.next ?? 0) > 0
}

/**
 * Takes off all that was counted of these learners, in the counts that are shown and in those that are made.
 * @param again count their statements once more
 */
export async function forgetLearners(run: Run, game: number, actors: readonly Key[], again: boolean): Promise<void> {
  const cursor = await holdCursor(run, game)
  if (!cursor) return
  const now = countedNow(cursor)
  if (again) return void (await run(addRecounts, [now, actors]))
  await run(endRecounts, [game, actors])
  const { hasCut } = cursor
  await forgetActors(run, now, actors, hasCut)
  const other = -now
  // sums of an older version stay until they are made again: they name nobody
  if (other === cursor.shown && cursor.isKnown) return forgetActors(run, other, actors, hasCut)
  const keys = hasCut ? [other, cutKey(other)] : [other]
  for (const table of deleteOf) await run(table, [keys, [...actors, ...actors.map(teamKey)]])
  if (hasCut) await run(deleteValues, [cutKey(other)])
}

/** Takes statements off the sums of days, before they are removed. @param places `stored` of each */
export async function takeOffDays(run: Run, game: number, places: readonly number[]): Promise<void> {
  const cursor = await holdCursor(run, game)
  if (!cursor) return
  const { shown, stored, next, isKnown, own, wanted } = cursor
  const takeOff = async (counts: number, place: number, clock: Clock) => {
    const rows = await run<TurnRow>(turnsOff, [game, places, place])
    if (rows.length > 0) await chartCountsOff(run, counts, await turnsOf(run, counts, clock, rows))
  }
  if (isKnown) await takeOff(shown, stored, own)
  if (next !== null) await takeOff(-shown, next, wanted)
}

/** Forgets days of which nothing is counted any more. @param before microseconds: days that end before */
export async function forgetDays(run: Run, game: number, before: number): Promise<void> {
  const day = new Date(Math.floor(before / 1_000)).toISOString().slice(0, 10)
  for (const counts of [game, -game]) await run(emptyDays, [counts, day])
}
