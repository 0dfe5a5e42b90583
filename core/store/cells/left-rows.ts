import { enterCell } from '../cell/enter.ts'
import type { Database } from '../database.ts'

const atOnce = 5_000

// reads that began before the move have ended after a minute
const next = {
  name: 'left_next',
  text: `select game, cell from left_cell where moved < now() - interval '1 minute'
    order by moved limit 1 for update skip locked`,
}
const some = (table: string) =>
  `delete from ${table} where ctid = any (array(select ctid from ${table} where game = $1 limit ${atOnce}))`
const remove = [
  {
    name: 'left_postings',
    text: `with gone as (${some('posting')} returning 1) select count(*)::int as count from gone`,
  },
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
  {
    name: 'left_statements',
    text: `with gone as (${some('statement')} returning 1) select count(*)::int as count from gone`,
  },
]
const done = { name: 'left_done', text: 'delete from left_cell where game = $1 and cell = $2' }

/** Deletes some rows of games in cells that they have left; returns how many, 0: there are none. */
export const sweepLeftRows = ({ transaction }: Database): Promise<number> =>
  transaction(async (run) => {
    const [left] = await run<{ game: number; cell: number }>(next, [])
    if (!left) return 0
    await enterCell(run, left.cell)
    let count = 0
    for (const table of remove) {
      if (count === 0) count = (await run<{ count: number }>(table, [left.game]))[0]!.count
    }
    if (count === 0) await run(done, [left.game, left.cell])
    await enterCell(run, 1)
    return Math.max(count, 1)
  })
