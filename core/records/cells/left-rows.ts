import { setTimeout as pause } from 'node:timers/promises'
import { arrayOf, did, sql, type Database, type Run } from '../../process/database/database.ts'
import { isAway } from '../../process/refusal.ts'
import { enterCell } from '../store/cell/enter.ts'
import { along, everything, exactly, orderAlong } from '../../process/database/look.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'

const atOnce = 5_000
/** Milliseconds between two looks whether left rows may be deleted. */
const everyMs = 500
const ascending = { ...everything, ascending: true }

// reads that began before the move have ended after a minute
const next = sql('left_next')`
  select l.game, l.cell, (select cell from tenant t where t.game = l.game) as now from left_cell l
    where moved < now() - interval '1 minute' and not (game = any ($1)) order by moved limit 1 for update skip locked`
const onServer = sql('left_on_server')`
  select l.cell from left_cell l join cell c on c.number = l.cell
    where l.game = $1 and c.server is not distinct from $2 limit 1`
const some = (table: string, key = 'game = $1') =>
  `delete from ${table} where ctid = any (array(select ctid from ${table} where ${key} limit ${atOnce}))`
const removal = (table: string, key = 'game = $1') => sql(`left_${table}`)`
  with gone as (${some(table, key)} returning 1) select count(*)::int as count from gone`
/** Rows that belonged to a statement which was deleted alone. */
const remains = [
  removal('posting'),
  sql('left_attachments')`with gone as (${some('statement_attachment')} returning attachment, game, stored),
        unused as (
          update attachment a set referenced = false, touched = now()
          where a.id in (select attachment from gone) and not exists (
            select from statement_attachment l
            where l.attachment = a.id and (l.game, l.stored) not in (select game, stored from gone)))
      select count(*)::int as count from gone`,
]
const oldest = sql('left_oldest')`
  select s.stored, s.id from statement s where ${along('s', { game: '$1' }, 'stored', ascending)}
    ${orderAlong('s', { game: '$1' }, 'stored', ascending)} limit 1000`
/** Statements that are in the new cell, or that retention has removed there since. */
export const arrived = sql('left_arrived')`select n.stored from unnest($2::bigint[], $3::uuid[]) n (stored, id)
    where exists (select from statement s where s.id = n.id and ${exactly('s', { game: '$1', stored: 'n.stored' })})
      or exists (select from expired_statement e where ${exactly('e', { game: '$1', id: 'n.id' })})`
const erase = sql('left_erase')`select statements as count from erase_statements(
    array_fill($1::int, array[cardinality($2::bigint[])]), $2)`

/**
 * Tables that follow from the statements of a game, on the server of its cell; `told` are those that launches filled.
 */
export const counted = [
  'verb_tally activity_tally tally_name tally_cursor',
  'recount counted_day learner_fact learner_level active_day attempt',
  'return_tally presence_tally funnel_tally leaving_tally attempt_tally tally_cut',
  'play_thing play_option play_day play_choice_day play_person play_people',
  'learner_cursor learner_seen seen_session seen_word seen_again',
].flatMap((line) => line.split(' '))
export const told = [
  'session_build',
  'tally_build',
  'expiry',
  'expired_statement',
  'returned_statement',
  'former_learner',
]
/**
 * Counts of a game are made beside others with its negative number (core/analytics/store/cell/cursors.ts), and those of
 * its cut with a key of their own (core/analytics/store/cell/folds/cuts.ts).
 */
const removeCounted = [
  ...counted.map((table) => removal(table, 'game in ($1, -$1::int, $1 + 1073741824, -$1 - 1073741824)')),
  ...told.map((table) => removal(table)),
]
const forgetBytes = sql('left_bytes')`update game_bytes set stored = 0, statements = 0 where game = $1`
const done = sql('left_done')`delete from left_cell where game = $1 and cell = $2 returning game`

interface Statement extends Record<string, unknown> {
  readonly stored: string
  readonly id: string
}

/**
 * Deletes some rows of a game in a cell that it has left; returns how many, 0: there are none. A statement that is not
 * in the new cell stays: it came after the move over a connection that had lost its cell (misplaced.ts).
 * @param on works on the tables of the cell
 * @param present the cell that has the game
 * @param counts whether to delete what is counted, too: the game has changed servers
 */
async function sweepSome(on: Run, { database }: Part, game: number, counts: boolean): Promise<number> {
  const rows = await on<Statement>(oldest, [game])
  let count = 0
  if (rows.length > 0) {
    const copied = await database.run<Statement>(arrived, [
      game,
      arrayOf(rows, ({ stored }) => stored),
      arrayOf(rows, ({ id }) => id),
    ])
    if (copied.length > 0)
      count = (await on<{ count: number }>(erase, [game, arrayOf(copied, ({ stored }) => stored)]))[0]!.count
  }
  for (const table of [...(rows.length > 0 ? [] : remains), ...(counts ? removeCounted : [])])
    if (count === 0) count = (await on<{ count: number }>(table, [game]))[0]!.count
  if (count === 0 && counts) await on(forgetBytes, [game])
  return count
}

/** Deletes some rows of games in cells that they have left a minute ago; returns how many, 0: there are none. */
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
      const present = await part(left.now)
      const sweep = (on: Run) => sweepSome(on, present, left.game, changed)
      if (one.server === undefined) await enterCell(run, left.cell)
      const sweeping = one.server === undefined ? sweep(run) : one.database.transaction(sweep)
      const count = await sweeping.catch((error: unknown) => {
        if (!isAway(error)) throw error
      })
      if (count === undefined) {
        away.push(left.game)
        return undefined
      }
      if (count === 0) await run(done, [left.game, left.cell])
      if (one.server === undefined) await enterCell(run, 1)
      return Math.max(count, 1)
    })
    // the others do not wait for a server that cannot be reached
    if (count !== undefined) return count
  }
}

/**
 * Deletes what a game left in the cell that it returns to, in the transaction that brings it back: reads that still go
 * there find the old rows, or all of the new ones.
 * @param run works on the tables of that cell
 */
export async function replaceLeft(run: Run, present: Part, game: number, cell: number): Promise<void> {
  // from here on no sweep of these rows begins
  if (await did(run(done, [game, cell]))) while ((await sweepSome(run, present, game, false)) > 0);
}

/** Waits until a game has left no rows on the server of a cell: others read them for a minute. */
export async function untilSwept(
  first: Database,
  part: (cell: number) => Promise<Part>,
  places: Places,
  game: number,
  { server, database }: Part,
): Promise<void> {
  while ((await first.run(onServer, [game, server ?? null])).length > 0) {
    // fails when the server is away
    await database.run(oldest, [game])
    if ((await sweepLeftRows(first, part, places)) === 0) await pause(everyMs)
  }
}
