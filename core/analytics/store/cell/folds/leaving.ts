import type { Run } from './counter.ts'

/** Tables of which each row has the key of counts as its `game`. */
export const tablesOfCounts = [
  'verb_tally activity_tally tally_name counted_day recount',
  'learner_fact learner_level active_day attempt',
  'return_tally presence_tally funnel_tally leaving_tally attempt_tally tally_cut',
  'play_thing play_option play_day play_choice_day play_person play_people',
].flatMap((line) => line.split(' '))

const atOnce = 5_000
const deletes = tablesOfCounts.map((table) => ({
  name: `leaving_${table}`,
  text: `with gone as (
      delete from ${table} where ctid = any (array(select ctid from ${table} where game = $1 limit ${atOnce}))
      returning 1)
    select count(*)::int as count from gone`,
}))

/** Deletes some rows; false: there are none. */
export async function deleteSome(run: Run, counts: number): Promise<boolean> {
  for (const table of deletes) {
    const [gone] = await run<{ count: number }>(table, [counts])
    if (gone!.count > 0) return true
  }
  return false
}
