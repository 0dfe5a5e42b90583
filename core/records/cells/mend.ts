import { arrayOf, sql, type Database } from '../../process/database/database.ts'
import { isAway } from '../../process/refusal.ts'
import { copyOf, writeCopy } from '../store/cell/copies.ts'
import { lastOf, nextRows } from './copy-statements.ts'
import { arrived } from './left-rows.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'

/** A game of which a server was told more than the directory knows: the directory has lost its last commits. */
export interface Ahead {
  readonly game: number
  readonly gameId: string
  /** Its cell, as the directory has it. */
  readonly cell: number
  /** The highest version that a server has of it or of a credential. */
  readonly version: number
  /** Its cell, as that server was told. */
  readonly told: number
}

const pageSize = 10_000
interface Copied extends Record<string, unknown> {
  readonly id: number
  readonly version: number
  readonly cell: number
}
const copies = {
  tenant: sql('mend_tenants')`
    select game as id, version, cell from tenant where game > $1 order by game limit ${pageSize}`,
  credential: sql('mend_credentials')`select c.id, c.version, t.cell from (
      select id, game, version from credential where id > $1 order by id limit ${pageSize}) c
    join tenant t on t.game = c.game order by c.id`,
}
const known = (table: string, key: string) => sql(`mend_known_${table}`)`
  select t.game, t.uuid as "gameId", t.cell, n.version, n.cell as told
    from unnest($1::int[], $2::int[], $3::int[]) n (id, version, cell)
    join ${table} k on k.${key} = n.id and k.version < n.version join tenant t on t.game = k.game
    where not exists (select from moving m where m.game = t.game)`
const behind = { tenant: known('tenant', 'game'), credential: known('credential', 'id') }
const onlyOne = sql('mend_one')`select pg_advisory_xact_lock(2026, 4)`
const raise = sql('mend_raise')`
  with placed as (update tenant set cell = $3, version = $2 where game = $1),
      renewed as (update credential set version = $2 where game = $1),
      bytes as (update game_bytes set stored = 0, statements = 0 where game = $1 and $3 <> $4),
      counted as (update placement set changes = changes + 1)
    insert into left_cell (game, cell) select $1, $4::int where $3 <> $4::int
      on conflict (game, cell) do update set moved = now()`
const back = sql('mend_back')`delete from left_cell where game = $1 and cell = $2`

/** One cell of each server beside the directory's. */
async function servers(places: Places, part: (cell: number) => Promise<Part>): Promise<Part[]> {
  const parts = await Promise.all((await places.read()).cells.map(part))
  const byServer = new Map(parts.map((one) => [one.server, one]))
  return [...byServer.values()].filter(({ server }) => server !== undefined)
}

/** Games whose copies are ahead of the directory. Servers that cannot be reached are left out. */
export async function findAhead(
  { run }: Database,
  places: Places,
  part: (cell: number) => Promise<Part>,
): Promise<Ahead[]> {
  const found = new Map<number, Ahead>()
  for (const { database } of await servers(places, part))
    for (const table of ['tenant', 'credential'] as const) {
      let after = 0
      for (let size = pageSize; size === pageSize;) {
        const rows = await database.run<Copied>(copies[table], [after]).catch((error: unknown) => {
          if (!isAway(error)) throw error
          return []
        })
        size = rows.length
        after = rows.at(-1)?.id ?? after
        const columns = (['id', 'version', 'cell'] as const).map((name) => arrayOf(rows, (row) => row[name]))
        // the directory is asked last: a server is told before the directory commits only while a game is in `moving`
        for (const one of await run<Ahead & Record<string, unknown>>(behind[table], columns))
          if ((found.get(one.game)?.version ?? 0) < one.version) found.set(one.game, one)
      }
    }
  return [...found.values()]
}

/**
 * Mends what a directory has forgotten that was restored to an earlier time, or whose standby lacked the last commits.
 * A game goes to the cell that its server was told, if all of its statements are there; otherwise it stays, and what is
 * elsewhere is misplaced (bring-back.ts). Its version is above all copies, so that every server takes the next one.
 */
export async function mend(first: Database, places: Places, part: (cell: number) => Promise<Part>): Promise<Ahead[]> {
  const all = await findAhead(first, places, part)
  const { cells } = await places.read()
  const mended: Ahead[] = []
  for (const { game, gameId, cell, told, version } of all) {
    const place = await part(cell)
    const isThere = told !== cell && cells.includes(told) && (await hasAll(place, await part(told), game))
    const next = isThere ? told : cell
    const copy = await first.transaction(async (run) => {
      await run(onlyOne, [])
      await run(raise, [game, version + 1, next, cell])
      await run(back, [game, next])
      return copyOf(run, game)
    })
    for (const number of new Set([cell, told].filter((one) => cells.includes(one)))) {
      const { server, database } = await part(number)
      if (server !== undefined && copy) await database.transaction((on) => writeCopy(on, copy))
    }
    mended.push({ game, gameId, cell: next, told, version: version + 1 })
  }
  await places.read()
  return mended
}

/** Whether a cell has all statements that another one has of a game, and any. */
async function hasAll(of: Part, cell: Part, game: number): Promise<boolean> {
  const { last } = await lastOf(of.database.run, game, '0')
  for (let after = '0'; BigInt(after) < BigInt(last);) {
    const rows = await nextRows(of.database.run, game, after, last, 1_000)
    if (rows.length === 0) break
    const places = [arrayOf(rows, ({ stored }) => stored), arrayOf(rows, ({ id }) => id)]
    if ((await cell.database.run(arrived, [game, ...places])).length < rows.length) return false
    after = rows.at(-1)!.stored
  }
  return BigInt((await lastOf(cell.database.run, game, '0')).last) > 0n
}
