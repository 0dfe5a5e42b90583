import type { Cell } from '../../../gen/lrs/v1/cells_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { isAway, Refusal } from '../../process/refusal.ts'
import { column, did, sql, type Database } from '../../process/database/database.ts'
import type { OpenServers } from './servers.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'
import { say } from '../../../shared/say.ts'

export type CellView = Fields<Cell>

const list = sql('cell_list')`select c.number, coalesce(c.server, '') as server, c.open,
      (select count(*) from tenant t where t.cell = c.number and t.sandbox_of is null)::int as games,
      (select count(*) from left_cell l where l.cell = c.number)::int as leaving
    from cell c order by c.number`
const size = sql('cell_size')`select coalesce(sum(pg_total_relation_size(r.oid)), 0)::float8 as size from pg_class r
    where r.relkind = 'r' and r.relname in ('statement', 'posting', 'attachment', 'attachment_chunk',
        'statement_attachment', 'activity_definition', 'agent_name', 'telling')
      and r.relnamespace::regnamespace::text = case $1::int when 1 then 'public' else 'cell_' || $1 end`
const gamesOf = sql('cell_games')`select uuid as id from tenant where cell = $1 order by game`
const setOpen = sql('cell_set_open')`update cell set open = $2 where number = $1 returning number`
const add = sql('cell_add')`select add_cell() as number`
const onlyOne = sql('cell_add_one')`select pg_advisory_xact_lock(2026, 0)`
const nextNumber = sql('cell_next')`
  select coalesce((select number from cell where server = $1 and not open and not exists (
      select from tenant where cell = number)), (select max(number) + 1 from cell)) as number`
const addServer = sql('cell_add_server')`
  with added as (insert into cell (number, server, open) values ($1, $2, false) on conflict do nothing)
    update placement set changes = changes + 1`
const lastOf = sql('cell_last')`select last_value as last from statement_order`
const raise = sql('cell_raise')`select setval('statement_order', greatest(last_value, $1::bigint)) from statement_order`

/** The cells, for admins. */
export function cellAdmin(
  { run, transaction }: Database,
  {
    places,
    part,
    servers,
  }: { places: Places; part: (cell: number) => Promise<Part>; servers: Pick<OpenServers, 'has' | 'add'> },
) {
  const sizeOf = async (cell: number): Promise<number | undefined> =>
    (await part(cell)).database.run<{ size: number }>(size, [cell]).then(
      ([row]) => row!.size,
      (error: unknown) => {
        if (isAway(error)) return undefined
        throw error
      },
    )

  /**
   * Adds a cell on another server. It takes no games until its order is above all that readers of all games were told:
   * its clock may be behind.
   */
  async function addOn(server: string): Promise<number | undefined> {
    if (!servers.has(server))
      throw new Refusal('not-found', say`LRS_CELL_SERVERS of core has no server "${server}": set it there first.`)
    const number = await transaction(async (run) => {
      await run(onlyOne, [])
      const [next] = await run<{ number: number }>(nextNumber, [server])
      if (next!.number > 16) return undefined
      if (!(await servers.add(server, next!.number)))
        throw new Refusal(
          'conflict',
          say`The database of "${server}" has a cell ${next!.number} with statements: it belongs to another store.`,
        )
      await run(addServer, [next!.number, server])
      return next!.number
    })
    if (number === undefined) return number
    const { cells } = await places.read()
    const lasts = await Promise.all(
      cells.map(async (cell) => BigInt((await (await part(cell)).database.run<{ last: string }>(lastOf, []))[0]!.last)),
    )
    await (await part(number)).database.run(raise, [String(lasts.reduce((one, other) => (one > other ? one : other)))])
    await run(setOpen, [number, true])
    return number
  }

  return {
    list: async (): Promise<CellView[]> => {
      const cells = await run<Omit<CellView, 'size' | 'away'>>(list, [])
      return Promise.all(
        cells.map(async (cell) => {
          const size = await sizeOf(cell.number)
          return { ...cell, size: size ?? 0, away: size === undefined }
        }),
      )
    },
    /**
     * Adds a cell and returns its number; undefined: there are 16 already.
     * @param server name of its server; empty: that of the directory
     * @throws Refusal 'not-found', 'conflict', 'unavailable'
     */
    add: async (server: string): Promise<number | undefined> =>
      server === ''
        ? transaction(async (run) => (await run<{ number: number | null }>(add, []))[0]!.number ?? undefined)
        : addOn(server),
    /** Lets a cell get new games, or not; false: there is no such cell. */
    setOpen: (cell: number, open: boolean) => did(run(setOpen, [cell, open])),
    /** UUIDs of the games and sandboxes in a cell. */
    games: (cell: number) => column<string>(run(gamesOf, [cell])),
  }
}
