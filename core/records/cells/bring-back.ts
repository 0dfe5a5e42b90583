import { hash } from 'node:crypto'
import { Refusal } from '../../process/refusal.ts'
import { cellNumbers } from '../store/cell/enter.ts'
import { arrayOf, scalar, sql, type Database, type Run } from '../../process/database/database.ts'
import { attachmentStore } from '../store/cell/attachments.ts'
import { recount } from '../store/cell/game-bytes.ts'
import type { Counting } from '../store/cell/counting.ts'
import { tellAll } from '../store/cell/tell.ts'
import { exactly } from '../../process/database/look.ts'
import { copyContents, nextRows, writeRows, type Row } from './copy-statements.ts'
import { elsewhereOf, enteredOn, type Place } from './misplaced.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'
import { say } from '../../../shared/say.ts'

/** Statements that are brought back in one transaction: writers of the cell wait for it. */
const atOnce = 100
/** Milliseconds that forgetting who was seen in a game may take; no writer waits for it. */
const patience = 10 * 60_000

const gameOf = sql('back_game')`select game from tenant where uuid = $1`
const noMove = sql('back_no_move')`select pg_try_advisory_xact_lock_shared(2026, 4) as free`
const lockOrder = sql('back_lock')`select pg_advisory_xact_lock(2026, order_lock($1))`
const erasures = sql('back_erasures')`select last_value as count from erasure`
const known = sql('back_known')`select n.id, s.hash, exists (
        select from expired_statement e where ${exactly('e', { game: '$1', id: 'n.id' })}) as expired
    from unnest($2::uuid[]) n (id)
    left join lateral (
      select encode(sha256(convert_to(s.body, 'UTF8')), 'hex') as hash from statement s
      where ${exactly('s', { game: '$1', id: 'n.id' })} limit 1) s on true`
/** As write_statements() does: the next places in the order, each 16th. */
const take = sql('back_take')`select o.base::float8, setval('statement_order', o.base + $1::int * 16) from (
    select greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, last_value) / 16 * 16 + this_cell() - 1
      as base from statement_order) o`
const note = sql('back_note')`insert into returned_statement (game, cell, id, was, stored)
    select $1, $2, * from unnest($3::uuid[], $4::bigint[], $5::bigint[])
    on conflict (game, id) do update set cell = excluded.cell, was = excluded.was, stored = excluded.stored`
const remove = sql('back_remove')`
  select from erase_statements(array_fill($1::int, array[cardinality($2::bigint[])]), $2)`
/** The first schema of a server that is no cell: nobody reads what statements told of activities and agents there. */
const tell = sql('back_tell')`with definitions as (
      insert into activity_definition as k select d.* from public.activity_definition d
      on conflict (activity, definition_key) do update set stored = excluded.stored where excluded.stored > k.stored),
    names as (insert into agent_name select n.* from public.agent_name n on conflict do nothing)
    select nextval('definition_change')`
const counted = sql('back_counted')`update placement set changes = changes + 1`

export interface Asked {
  readonly gameId: string
  readonly found: Place
  /** The `stored` of the last statement that was looked at, as it is in that place; 0: from the first. */
  readonly after: string
  /** Only says what would be done. */
  readonly preview: boolean
  /** Removes statements whose id the cell has with other bytes. */
  readonly discard: boolean
}

export interface Returned {
  /** 0: there are no more. */
  readonly next: string
  readonly returned: number
  /** The cell has the same bytes. */
  readonly same: number
  /** Retention has removed their ids: they do not come back. */
  readonly expired: number
  /** Ids that the cell has with other bytes. */
  readonly different: string[]
}

/**
 * Brings the next misplaced statements of a game back to its cell, with a new `stored`, so that followers see them. It
 * writes them to the cell first, and then removes them from the wrong tables. After an interruption they may be in both
 * places: the next run finds the same bytes.
 * @throws Refusal 'not-found', 'unavailable'
 */
export async function bringBack(
  first: Database,
  { forgetAllSeen }: Counting,
  places: Places,
  part: (cell: number) => Promise<Part>,
  { gameId, found, after, preview, discard }: Asked,
): Promise<Returned> {
  const nothing: Returned = { next: '0', returned: 0, same: 0, expired: 0, different: [] }
  const [{ game } = { game: 0 }] = await first.run<{ game: number }>(gameOf, [gameId])
  if (game === 0) throw new Refusal('not-found', 'There is no game of this id.', { subject: 'game' })
  const { database: on } = await onServer(places, part, found.server)
  // without such a schema, the tables would be those of the first one
  if (!(await cellNumbers(on.run)).includes(found.cell))
    throw new Refusal('not-found', say`There is no cell ${found.cell} on that server; see doctor.`)
  const there = enteredOn(on, found.cell)
  const [misplaced] = await elsewhereOf(first.run, [game], found)
  if (!misplaced) return nothing
  if (after === '0' && !preview) {
    const { database, number, server } = await part(misplaced.cell)
    // the list of learners counted them where they were
    await database.transaction((run) => forgetAllSeen(run, game, patience), patience)
    if (!misplaced.isCell && server === found.server) {
      await there.run(tellAll, [])
      await database.transaction(async (run) => {
        await run(lockOrder, [number])
        await run(tell, [])
      })
    }
  }
  return first.transaction(async (run) => {
    // while a game is being moved, it may be in two cells
    const [lock] = await run<{ free: boolean }>(noMove, [])
    if (!lock!.free) throw new Refusal('unavailable', 'A game is being moved to another cell; try again.')
    const [place] = await elsewhereOf(run, [game], found)
    if (!place) return nothing
    const to = await part(place.cell)

    const erased = () => scalar<string>(there.run(erasures, []))
    const erasedBefore = await erased()
    const rows = await nextRows(there.run, game, after, String(Number.MAX_SAFE_INTEGER), atOnce)
    if (rows.length === 0) return nothing
    const next = rows.at(-1)!.stored
    const from = { database: there, attachments: attachmentStore(there) }
    const contents = preview ? [] : await copyContents({ from, to, game, alive: () => run(noMove, []) }, after, next)

    const write = (): Promise<Sorted> =>
      to.database.transaction(async (run) => {
        await run(lockOrder, [to.number])
        if ((await erased()) !== erasedBefore)
          throw new Refusal('unavailable', 'A learner was erased meanwhile; try again.')
        const sorted = await sort(run, game, rows)
        const { missing } = sorted
        if (missing.length === 0) return sorted
        const [{ base } = { base: 0 }] = await run<{ base: number }>(take, [missing.length])
        const stored = new Map(missing.map((row, n) => [row.stored, String(base + (n + 1) * 16)]))
        const placed = missing.map((row) => ({ ...row, stored: stored.get(row.stored)! }))
        const own = contents.flatMap((one) => {
          const now = stored.get(one.stored)
          return now === undefined ? [] : [{ ...one, stored: now }]
        })
        await run(note, [game, found.cell, arrayOf(missing, ({ id }) => id), [...stored.keys()], [...stored.values()]])
        await writeRows(run, game, placed, own, false)
        await run(recount, [[game]])
        return sorted
      })

    const sorted = preview
      ? await sort(to.database.run, game, rows)
      : (to.server ?? '') === found.server
        ? await write()
        : await there.transaction(async (run) => {
            // an erasure between the transactions of the two servers is done again: this count tells it to
            await run(lockOrder, [found.cell])
            const sorted = await write()
            await first.run(counted, [])
            return sorted
          })
    const { missing, same, expired, different } = sorted
    const gone = [...missing, ...same, ...expired, ...(discard ? different : [])]
    if (!preview && gone.length > 0) await there.run(remove, [game, arrayOf(gone, ({ stored }) => stored)])
    return {
      next,
      returned: missing.length,
      same: same.length,
      expired: expired.length,
      different: different.map(({ id }) => id),
    }
  })
}

/** Any cell on the server. */
async function onServer(places: Places, part: (cell: number) => Promise<Part>, server: string): Promise<Part> {
  const { cells, servers } = await places.read()
  const cell = cells[servers.findIndex((one) => (one ?? '') === server)]
  if (cell === undefined) throw new Refusal('not-found', say`No cell is on a server "${server}"; see cells list.`)
  return part(cell)
}

interface Sorted {
  readonly missing: Row[]
  readonly same: Row[]
  readonly different: Row[]
  readonly expired: Row[]
}

/** Compares the statements with those of their ids in the cell: the one that is there stays. */
async function sort(run: Run, game: number, rows: readonly Row[]): Promise<Sorted> {
  const found = await run<{ id: string; hash: string | null; expired: boolean }>(known, [
    game,
    arrayOf(rows, ({ id }) => id),
  ])
  const byId = new Map(found.map((one) => [one.id, one]))
  const sorted: Sorted = { missing: [], same: [], different: [], expired: [] }
  for (const row of rows) {
    const { hash: there, expired } = byId.get(row.id)!
    if (there === null) sorted[expired ? 'expired' : 'missing'].push(row)
    else sorted[there === hash('sha256', row.body) ? 'same' : 'different'].push(row)
  }
  return sorted
}
