import { isAway } from '../../process/refusal.ts'
import { enterCell, cellNumbers } from '../store/cell/enter.ts'
import { sql, type Database, type Run } from '../../process/database/database.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'

/** A schema with the tables of a cell: that of a cell of the store, or the first one of another server. */
export interface Place {
  readonly cell: number
  /** Name of its server; empty: that of the directory. */
  readonly server: string
}

/** Statements of a game outside of its cell, where no request finds them. */
export interface Misplaced {
  readonly game: number
  /** UUID. */
  readonly gameId: string
  /** Its cell. */
  readonly cell: number
  readonly found: Place
  readonly statements: number
}

// one look for each game that has statements here
const gamesHere = sql('misplaced_games')`with recursive g (game) as (
      (select s.game from statement s order by s.game, s.stored limit 1)
      union all
      select (select s.game from statement s where (s.game, s.stored) > (g.game, ${Number.MAX_SAFE_INTEGER})
        order by s.game, s.stored limit 1) from g where g.game is not null)
    select game from g where game is not null`
/** Not what a finished move has left here, and not what a running or interrupted move has copied here. */
const elsewhere = sql('misplaced_elsewhere')`
  select t.game, t.uuid as "gameId", t.cell, p.is_cell as "isCell" from tenant t
    join cell c on c.number = t.cell
    cross join (select exists (select from cell where number = $2 and coalesce(server, '') = $3) as is_cell) p
    where t.game = any ($1) and (t.cell, coalesce(c.server, '')) <> ($2, $3)
      and not (p.is_cell and exists (select from left_cell l where l.game = t.game and l.cell = $2))
      and not (p.is_cell and exists (select from moving m where m.game = t.game and m.cell = $2))
    order by t.game`
const count = sql('misplaced_count')`select count(*)::int as count from statement where game = $1`

export interface Elsewhere extends Record<string, unknown> {
  readonly game: number
  readonly gameId: string
  readonly cell: number
  /** The place is a cell of the store. */
  readonly isCell: boolean
}

/** Which of the games have misplaced statements in this place. */
export const elsewhereOf = (run: Run, games: readonly number[], { cell, server }: Place) =>
  run<Elsewhere>(elsewhere, [games, cell, server])

/** A database whose queries and transactions work on the tables of a cell on the same server. */
export function enteredOn(database: Database, cell: number): Database {
  const transaction: Database['transaction'] = (work, longest) =>
    database.transaction(async (run) => {
      await enterCell(run, cell)
      return work(run)
    }, longest)
  const run: Run = (query, values) => transaction((run) => run(query, values))
  return { ...database, run, essential: run, transaction }
}

/** Every place on servers that can be reached. A connection without its settings works in the schema `public`. */
export async function findMisplaced(
  first: Database,
  places: Places,
  part: (cell: number) => Promise<Part>,
): Promise<Misplaced[]> {
  const { cells } = await places.read()
  const servers = new Map<string, Part>()
  for (const one of await Promise.all(cells.map(part)))
    if (!servers.has(one.server ?? '')) servers.set(one.server ?? '', one)
  const found: Misplaced[] = []
  for (const [server, { database }] of servers) {
    const lookThrough = async () => {
      for (const cell of await cellNumbers(database.run)) {
        const { run } = enteredOn(database, cell)
        const games = (await run<{ game: number }>(gamesHere, [])).map(({ game }) => game)
        for (const one of await elsewhereOf(first.run, games, { cell, server })) {
          const [{ count: statements } = { count: 0 }] = await run<{ count: number }>(count, [one.game])
          const { game, gameId, cell: own } = one
          if (statements > 0) found.push({ game, gameId, cell: own, found: { cell, server }, statements })
        }
      }
    }
    await lookThrough().catch((error: unknown) => {
      if (server === '' || !isAway(error)) throw error
    })
  }
  return found
}
