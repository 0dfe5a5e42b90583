import { Refusal } from '../../process/refusal.ts'
import { sql, type Database } from '../../process/database/database.ts'

/** Milliseconds after which this core asks whether cells were added and games were moved. */
const freshFor = 1_000
const mostGames = 100_000

const placement = sql('placement')`select p.changes, array(select number from cell order by number) as cells,
      array(select server from cell order by number) as servers,
      array(select unnest(array[t.cell, m.cell]) from moving m join tenant t on t.game = m.game where m.settling) as settling
    from placement p`
const cellOfGame = sql('cell_of_game')`select cell from tenant where game = $1`
const gameWithId = sql('game_with_id')`select game from tenant where uuid = $1 and sandbox_of is null`

/** The cells of a database. */
export interface Placement {
  /** Counts cells that were added and games that were moved. */
  readonly changes: string
  readonly cells: readonly number[]
  /** The name of each cell's server, in the same order; null: the directory's. */
  readonly servers: readonly (string | null)[]
  /** The cells of a game that is changing servers: it may be in both, or in none. */
  readonly settling: readonly number[]
}

/**
 * Knows which cell has the statements of a game, for queries without a credential: those with one know it from the
 * credential. What it knows may be a second old: the rows that a moved game leaves behind stay for a minute.
 */
export function places({ run }: Pick<Database, 'run'>, now: () => number = () => performance.now()) {
  const cellOf = new Map<number, number>()
  let known: Placement = { changes: '', cells: [1], servers: [null], settling: [] }
  let asked = -Infinity
  let turns = 0
  let answered = 0

  async function read(): Promise<Placement> {
    asked = now()
    const turn = ++turns
    const [row] = await run<Placement>(placement, [])
    // a later one may have been answered first
    if (turn < answered) return row!
    answered = turn
    if (row!.changes !== known.changes) cellOf.clear()
    known = row!
    return known
  }

  const recent = async (): Promise<Placement> => (now() - asked < freshFor ? known : read())

  async function lookUp(game: number): Promise<number> {
    const { changes } = known
    const [row] = await run<{ cell: number }>(cellOfGame, [game])
    const cell = row?.cell ?? 1
    if (cellOf.size >= mostGames) cellOf.clear()
    if (changes === known.changes) cellOf.set(game, cell)
    return cell
  }

  return {
    /** The cell of a game. */
    async of(game: number): Promise<number> {
      const { cells } = await recent()
      return cells.length === 1 ? 1 : (cellOf.get(game) ?? lookUp(game))
    },
    /** Number of the game with this UUID; sandboxes are none. @throws Refusal 'not-found' */
    async gameOf(id: string): Promise<number> {
      const [row] = await run<{ game: number }>(gameWithId, [id])
      if (!row) throw new Refusal('not-found', 'There is no game with this id.')
      return row.game
    },
    /** The placement, at most a second old. */
    recent,
    /** The placement as the database has it now. */
    read,
    /** Name of the server of a cell; null: the directory's; undefined: there is no such cell. */
    async serverOf(cell: number): Promise<string | null | undefined> {
      const { cells, servers } = known.cells.includes(cell) ? known : await read()
      return servers[cells.indexOf(cell)]
    },
    /** The same, as it was read last. */
    lastServerOf: (cell: number): string | null | undefined => known.servers[known.cells.indexOf(cell)],
    /** The placement as it was read last. */
    last: (): Placement => known,
  }
}

export type Places = ReturnType<typeof places>
