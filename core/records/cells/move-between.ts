import type { MoveGameResponse } from '../../../gen/lrs/v1/cells_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { Refusal } from '../../process/refusal.ts'
import { copyOf, writeCopy, type Copy } from '../store/cell/copies.ts'
import { enterCell } from '../store/cell/enter.ts'
import { sql, type Database, type Run } from '../../process/database/database.ts'
import { copyFormer, copyTold } from './copy-told.ts'
import { copyStatements, lastOf, roundsAtMost, whileWaiting } from './copy-statements.ts'
import type { Part } from './part.ts'

export type Moved = Fields<MoveGameResponse>

const begin = sql('moving_begin')`insert into moving (game, cell) values ($1, $2)`
const patient = sql('moving_patient')`select set_config('idle_in_transaction_session_timeout', '60000', true)`
const stillThere = sql('moving_still_there')`select 1`
const settling = sql('moving_settling')`update moving set settling = true where game = $1 returning game`
// nobody adds or changes a credential of the game
const lockRows = sql('moving_lock_rows')`
  with g as (select from game where id = $1 for update), t as (select from tenant where game = $1 for update),
      c as (select from credential where game = $1 for update)
    select (select count(*) from g), (select count(*) from t), (select count(*) from c)`
const lockOrder = sql('moving_lock_order')`select pg_advisory_xact_lock(2026, order_lock($1))`
const erasures = sql('moving_erasures')`select last_value as count from erasure`
const order = sql('moving_order')`select last_value as last from statement_order`
const raise = sql('moving_raise')`
  select setval('statement_order', greatest(last_value, $1::bigint)) from statement_order`
const settle = sql('moving_settle')`with moved as (update tenant set cell = $2, version = version + 1 where game = $1),
      renewed as (update credential set version = version + 1 where game = $1),
      -- bytes of its statements are counted from the first statement; those of documents stay
      bytes as (update game_bytes set stored = 0, statements = 0 where game = $1),
      counted as (update placement set changes = changes + 1),
      done as (delete from moving where game = $1)
    insert into left_cell (game, cell) values ($1, $3)`
const interrupted = sql('moving_interrupted')`select game from moving order by began`
const tryOnlyOne = sql('moving_try')`select pg_try_advisory_xact_lock(2026, 4) as free`
const lockMoving = sql('moving_lock')`
  select m.game, m.cell, m.settling, t.cell as place from moving m join tenant t on t.game = m.game
    where m.game = $1 for update`
// above what the interrupted move has told the servers, which is one above what it was
const undo = sql('moving_undo')`with placed as (update tenant set version = version + 2 where game = $1)
    update credential set version = version + 2 where game = $1`
const undone = sql('moving_undone')`with done as (delete from moving where game = $1),
      counted as (update placement set changes = changes + 1)
    insert into left_cell (game, cell) values ($1, $2)`

/**
 * Moves a game to a cell on another server. `moving` says so from the beginning: until the last commit, which is that
 * of the directory, nobody reads the rows in the new cell. The new cell commits first, then the old one, which from
 * then on refuses the game's writers.
 * @param run the transaction of the move, on the directory's server; only one move has it at a time
 */
export async function moveBetween(first: Database, run: Run, old: Part, next: Part, game: number): Promise<Moved> {
  // nothing is begun while the new server cannot be reached
  await next.database.run(stillThere, [])
  await first.run(begin, [game, next.number])
  await run(patient, [])
  const erasedBefore = (await old.database.run<{ count: string }>(erasures, []))[0]!.count
  const copying = { from: old, to: next, game, alive: () => run(stillThere, []) }
  let after = '0'
  let statements = 0
  for (let rounds = 0; ; rounds++) {
    const { last, rest } = await lastOf(old.database.run, game, after)
    if (rest <= whileWaiting) break
    if (rounds === roundsAtMost)
      throw new Refusal(
        'unavailable',
        'The game stores statements faster than they are copied; move it at another time.',
      )
    statements += await copyStatements(copying, after, last)
    after = last
  }
  await copyTold(old, next, game)
  await copyFormer(old, next, game)
  await first.run(settling, [game])
  await run(lockRows, [game])
  const began = performance.now()
  await inCell(old, run, async (onOld) => {
    await onOld(lockOrder, [old.number])
    if ((await onOld<{ count: string }>(erasures, []))[0]!.count !== erasedBefore)
      throw new Refusal('unavailable', 'A learner was erased meanwhile; start the move again.')
    const { last } = await lastOf(onOld, game, after)
    const [highest] = await onOld<{ last: string }>(order, [])
    const copy = await inCell(next, run, async (onNext) => {
      await onNext(lockOrder, [next.number])
      statements += await copyStatements({ ...copying, onNext }, after, last)
      await onNext(raise, [highest!.last])
      await run(settle, [game, next.number, old.number])
      const copy = (await copyOf(run, game))!
      if (next.server !== undefined) await writeCopy(onNext, copy)
      return copy
    })
    if (old.server !== undefined) await writeCopy(onOld, copy)
  })
  return { from: old.number, statements, waited: performance.now() - began }
}

/** Runs `work` in a transaction of the cell's server: on the directory's server that is the transaction of the move. */
async function inCell<T>({ number, server, database }: Part, run: Run, work: (run: Run) => Promise<T>): Promise<T> {
  if (server !== undefined) return database.transaction(work)
  await enterCell(run, number)
  const result = await work(run)
  await enterCell(run, 1)
  return result
}

/** Undoes moves to another server that were interrupted; returns how many. While a move goes on there are none. */
export async function undoMoves(first: Database, part: (cell: number) => Promise<Part>): Promise<number> {
  const games = await first.run<{ game: number }>(interrupted, [])
  let count = 0
  for (const { game } of games) {
    count += await first.transaction(async (run) => {
      if (!(await run<{ free: boolean }>(tryOnlyOne, []))[0]!.free) return 0
      const [move] = await run<{ cell: number; settling: boolean; place: number }>(lockMoving, [game])
      if (!move) return 0
      if (move.settling) {
        await run(undo, [game])
        const copy: Copy = (await copyOf(run, game))!
        for (const cell of [move.place, move.cell]) {
          const { server, database } = await part(cell)
          if (server !== undefined) await database.transaction((on) => writeCopy(on, copy))
        }
      }
      await run(undone, [game, move.cell])
      return 1
    })
  }
  return count
}
