import { isAway } from '../../refusal.ts'
import { enterCell } from '../cell/enter.ts'
import type { Database } from '../database.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'

const atOnce = 5_000

// reads that began before the move have ended after a minute
const next = {
  name: 'left_next',
  text: `select l.game, l.cell, (select cell from tenant t where t.game = l.game) as now from left_cell l
    where moved < now() - interval '1 minute' and not (game = any ($1)) order by moved limit 1 for update skip locked`,
}
const some = (table: string) =>
  `delete from ${table} where ctid = any (array(select ctid from ${table} where game = $1 limit ${atOnce}))`
const removal = (table: string) => ({
  name: `left_${table}`,
  text: `with gone as (${some(table)} returning 1) select count(*)::int as count from gone`,
})
const remove = [
  removal('posting'),
  {
    name: 'left_attachments',
    text: `with gone as (${some('statement_attachment')} returning attachment, game, stored),
        unused as (
          update attachment a set referenced = false, touched = now()
          where a.id in (select attachment from gone) and not exists (
            select from statement_attachment l
            where l.attachment = a.id and (l.game, l.stored) not in (select game, stored from gone)))
      select count(*)::int as count from gone`,
  },
  removal('statement'),
]
/**
 * Tables that follow from the statements of a game, on the server of its cell; `told` are those that launches filled.
 */
export const counted = [
  'verb_tally activity_tally learner_day session_day tally_name tally_cursor',
  'recount learner_fact learner_level active_day attempt',
  'return_tally presence_tally funnel_tally leaving_tally attempt_tally',
  'play_thing play_option play_day play_choice_day play_person play_people',
  'learner_cursor learner_seen seen_session seen_word',
].flatMap((line) => line.split(' '))
export const told = ['session_build', 'tally_build', 'expiry', 'expired_statement']
const removeCounted = [...counted, ...told].map(removal)
const forgetBytes = { name: 'left_bytes', text: 'update game_bytes set stored = 0, statements = 0 where game = $1' }
const done = { name: 'left_done', text: 'delete from left_cell where game = $1 and cell = $2' }

/** Deletes some rows of games in cells that they have left; returns how many, 0: there are none. */
export async function sweepLeftRows(
  { transaction }: Database,
  part: (cell: number) => Promise<Part>,
  places: Places,
): Promise<number> {
  const away: number[] = []
  for (;;) {
    const count = await transaction(async (run) => {
      const [left] = await run<{ game: number; cell: number; now: number }>(next, [away])
      if (!left) return 0
      const changed = (await places.serverOf(left.cell)) !== (await places.serverOf(left.now))
      const one = await part(left.cell)
      const sweep = async (on: Database['run']): Promise<number> => {
        let count = 0
        for (const table of changed ? [...remove, ...removeCounted] : remove)
          if (count === 0) count = (await on<{ count: number }>(table, [left.game]))[0]!.count
        if (count === 0 && changed) await on(forgetBytes, [left.game])
        return count
      }
      if (one.server !== undefined) {
        const count = await one.database.transaction(sweep).catch((error: unknown) => {
          if (!isAway(error)) throw error
        })
        if (count === undefined) {
          away.push(left.game)
          return undefined
        }
        if (count === 0) await run(done, [left.game, left.cell])
        return Math.max(count, 1)
      }
      await enterCell(run, left.cell)
      const count = await sweep(run)
      if (count === 0) await run(done, [left.game, left.cell])
      await enterCell(run, 1)
      return Math.max(count, 1)
    })
    // the others do not wait for a server that cannot be reached
    if (count !== undefined) return count
  }
}
