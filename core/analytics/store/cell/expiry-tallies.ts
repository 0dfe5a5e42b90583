import type { Run } from './folds/counter.ts'

const addCursor = {
  name: 'tally_add_cursor',
  text: `insert into tally_cursor (game, opened) values ($1, '1970-01-01') on conflict do nothing`,
}
const hold = { name: 'tally_hold', text: 'select stored from tally_cursor where game = $1 for update' }
const dayTables = ['verb_tally', 'activity_tally', 'learner_day', 'session_day']
const forgetDaysOf = dayTables.map((table) => ({
  name: `forget_days_${table}`,
  text: `delete from ${table} where game = $1 and day < $2::date`,
}))

/** Takes the cursor of the game: nothing is counted until the transaction ends. Returns whether anything was before. */
export async function holdCursor(run: Run, game: number): Promise<boolean> {
  await run(addCursor, [game])
  const [cursor] = await run<{ stored: string }>(hold, [game])
  return Number(cursor!.stored) > 0
}

/**
 * Takes off what was counted of days whose statements are all removed. The caller holds the game's cursor.
 * @param before microseconds: days in UTC that end before
 */
export async function forgetDays(run: Run, game: number, before: number): Promise<void> {
  const day = new Date(Math.floor(before / 1_000)).toISOString().slice(0, 10)
  for (const table of forgetDaysOf) await run(table, [game, day])
}
