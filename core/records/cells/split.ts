import { column, sql, type Database } from '../../process/database/database.ts'
import { schemaOf } from '../../process/database/schemas.ts'
import { Refusal } from '../../process/refusal.ts'
import { say } from '../../../shared/say.ts'
import { copyTold } from './copy-told.ts'
import { cellTables, fence, fenceOf, openCopies, unfence } from './fence.ts'
import { counted, told } from './left-rows.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'
import type { OpenServers } from './servers.ts'

/** Cells of a server that go to another one, which is a standby of it. */
export interface Split {
  readonly from: string
  readonly to: string
  readonly cells: readonly number[]
}
/** 'behind': the standby has not everything yet. 'waiting': the standby is to be promoted. 'there': the cells are there. 'cleaned': nothing of them is left behind. */
export type SplitState = 'behind' | 'waiting' | 'there' | 'cleaned' | 'cancelled'

const placed = sql('split_placed')`
  select number, coalesce(server, '') as server from cell where number = any ($1) or server = $2 order by number`
const standby = sql('split_standby')`select pg_is_in_recovery() as standby`
const onlyOne = sql('split_one')`select pg_advisory_xact_lock(2026, 4)`
const moving = sql('split_moving')`
  select game from moving m where m.cell = any ($1) or m.game in (select game from tenant where cell = any ($1)) limit 1`
const place = sql('split_place')`
  with placed as (update cell set server = $2 where number = any ($1) returning number),
      moved as (update tenant set version = version + 1 where cell = any ($1)),
      renewed as (update credential c set version = c.version + 1 from tenant t where t.game = c.game
        and t.cell = any ($1))
    update placement set changes = changes + 1`
const gamesIn = sql('split_games')`select game from tenant where cell = any ($1) order by game`
const lockOrder = sql('split_lock_order')`select pg_advisory_xact_lock(2026, order_lock($1))`
const cellsHere = sql('split_cells_here')`select number from cell where number > 1`
const forget = sql('split_forget')`delete from cell where number = any ($1)`
const statement = (text: string) => sql('')`${text}`
/** Microseconds by which the order of a cell on its new server begins above that on the old one. */
const ahead = 5_000_000
/** Milliseconds that one query may take while rows are deleted. */
const patience = 60 * 60_000

/**
 * Splits a server: cells go to a standby of it, which has been promoted or is to be. Nothing is copied. First the old
 * server refuses all changes of these cells. The fence goes to the standby as everything else does: a standby that has
 * it has everything. Then the directory says where the cells are, and every core looks again (copies of games have a new
 * version). The next call, a minute later, deletes what is left. Each call goes on where the last one ended.
 * @throws Refusal 'not-found', 'conflict', 'unavailable'
 */
export async function splitServer(
  first: Database,
  { places, part, servers }: { places: Places; part: (cell: number) => Promise<Part>; servers: OpenServers },
  split: Split,
  cancel = false,
): Promise<SplitState> {
  const { from, to, cells } = split
  for (const server of [from, to])
    if (!servers.has(server))
      throw new Refusal('not-found', say`LRS_CELL_SERVERS of core has no server "${server}": set it there first.`)
  const there = await first.run<{ number: number; server: string }>(placed, [cells, to])
  const served = (server: string) => there.filter((one) => one.server === server).map(({ number }) => number)
  const isDone = cells.length > 0 && cells.every((cell) => served(to).includes(cell))
  if (!isDone && (served(to).length > 0 || !cells.every((cell) => served(from).includes(cell))))
    throw new Refusal('conflict', say`Give cells of "${from}", and a server without cells; see cells list.`)

  return servers.within(from, async (old) => {
    if (isDone) return clean(old, cells)
    if (cancel) {
      for (const cell of cells) await unfence(old, cell)
      return 'cancelled'
    }
    const marks = new Map<number, string>()
    for (const cell of cells) marks.set(cell, await fence(old, cell))
    return servers.within(to, async (next) => {
      const [{ standby: follows } = { standby: false }] = await next.run<{ standby: boolean }>(standby, [])
      for (const [cell, mark] of marks) {
        if ((await fenceOf(next.run, cell)) === mark) continue
        if (follows) return 'behind'
        throw new Refusal(
          'conflict',
          say`Cell ${cell} of "${to}" is not what it is on "${from}": "${to}" is no standby of it, or was promoted before it had everything. Make a new standby, or cancel.`,
        )
      }
      if (follows) return 'waiting'
      for (const cell of cells) await openCopies(next.run, cell)
      await settle(first, old, next, split)
      await places.read()
      for (const cell of cells) await unfence(next, cell)
      await takeOver(first, old, next, { part, cells })
      return 'there'
    })
  })
}

/**
 * No reader was told of more than the order has reached: nobody takes the lock of an order before the directory says.
 * A core that still asks the old server for a moment is told less than what the new one stores.
 */
async function settle(first: Database, old: Database, next: Database, { to, cells }: Split): Promise<void> {
  await old.transaction(async (on) => {
    for (const cell of cells) {
      await on(lockOrder, [cell])
      const order = `${schemaOf(cell)}.statement_order`
      const [{ last } = { last: '0' }] = await on<{ last: string }>(
        statement(`select last_value as last from ${order}`),
        [],
      )
      await next.run(
        statement(`select setval('${order}', greatest(last_value, $1::bigint + ${ahead})) from ${order}`),
        [last],
      )
    }
    await first.transaction(async (run) => {
      await run(onlyOne, [])
      if ((await run(moving, [cells])).length > 0)
        throw new Refusal('unavailable', 'A game of these cells is being moved; try again.')
      await run(place, [cells, to])
    })
  })
}

/** Removes from each of the two servers what the other one has now, but for the statements of the old one. */
async function takeOver(
  { run }: Database,
  old: Database,
  next: Database,
  { part, cells }: { part: (cell: number) => Promise<Part>; cells: readonly number[] },
): Promise<void> {
  const games = await column<number>(run(gamesIn, [cells]))
  // what launches told the old server meanwhile
  const target = await part(cells[0]!)
  for (const game of games) await copyTold({ database: old }, target, game)
  await old.run(forget, [cells])
  await removeCounts(old, games, 'abs(game) = any ($1)')
  const others = (await column<number>(next.run(cellsHere, []))).filter((cell) => !cells.includes(cell))
  for (const cell of others) await next.run(statement(`drop schema ${schemaOf(cell)} cascade`), [])
  await next.run(forget, [others])
  await removeCounts(next, games, 'not (abs(game) = any ($1))')
}

/** What is counted of games is on the server of their cell. */
async function removeCounts({ transaction }: Database, games: readonly number[], which: string): Promise<void> {
  for (const table of [...counted, ...told])
    await transaction((run) => run(statement(`delete from ${table} where ${which}`), [games]), patience)
}

/** Deletes the statements of the cells on the server that they have left. The fence stays. */
async function clean({ run }: Database, cells: readonly number[]): Promise<SplitState> {
  for (const cell of cells)
    if ((await fenceOf(run, cell)) !== undefined)
      await run(statement(`truncate ${cellTables.map((table) => `${schemaOf(cell)}.${table}`).join(', ')}`), [])
  return 'cleaned'
}
