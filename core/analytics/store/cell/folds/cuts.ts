import { isCutValue } from '../../../../../shared/result-address.ts'
import { numberOfValue } from '../../../rules/cut.ts'
import { teamsOf, type Turn } from '../../../rules/turn.ts'
import type { Run } from './counter.ts'

// The counts of a game's cut have a key of their own, of the same sign as that of its other counts. So a table of counts
// needs no further column, and a game without a cut has no further row.
const apart = 2 ** 30
export const cutKey = (counts: number): number => counts + Math.sign(counts) * apart
/** SQL: the key of the game's other counts, of this key or of that of its cut. */
export const plainKey = (counts: string): string => `(${counts} % ${apart})`
/** The key of the counts that have this build, or this value of the cut. */
export const keyWith = (counts: number, build: number | undefined): number =>
  isCutValue(build) ? cutKey(counts) : counts

const known = { name: 'cut_known', text: 'select number, value from tally_cut where game = $1' }
const add = {
  name: 'cut_add',
  text: 'insert into tally_cut (game, number, value) select $1, * from unnest($2::int[], $3::text[])',
}
const forget = {
  name: 'cut_forget',
  text: `delete from tally_cut c where c.game = $1 and not exists (
    select from presence_tally p
    where p.game = $1 and p.build in (c.number, ${teamsOf(0)} - c.number) and p.learners > 0)`,
}

/** The same turns with the numbers of their values in place of those of builds. @param counts key of the cut */
export async function cutTurns(run: Run, counts: number, cut: string, turns: readonly Turn[]): Promise<Turn[]> {
  const rows = await run<{ number: number; value: string }>(known, [counts])
  const values = new Map(rows.map(({ number, value }) => [number, value]))
  const numbered = turns.map((turn) => ({ ...turn, build: numberOfValue(values, cut, turn.cutValue) }))
  const added = [...values].slice(rows.length)
  if (added.length > 0) await run(add, [counts, added.map(([number]) => number), added.map(([, value]) => value)])
  return numbered
}

/** Deletes values that nobody is left with: they may name somebody. @param counts key of the cut */
export const forgetValues = async (run: Run, counts: number): Promise<void> => void (await run(forget, [counts]))
