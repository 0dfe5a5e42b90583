import { inReach } from './all-games.ts'
import type { Database } from '../../process/database/database.ts'
import type { Part } from './part.ts'

/** Makes stores of another wing for each cell. */
export type EachCell = ReturnType<typeof eachCellOf>

/** How other wings work on the tables of cells: with stores of their own, made once for each cell. */
export function eachCellOf(first: Part, partOf: (game: number) => Promise<Part>, all: () => Promise<Part[]>) {
  return <Own>(make: (database: Database) => Own) => {
    const made = new Map<number, Own>()
    function own({ number, database }: Part): Own {
      const one = made.get(number) ?? make(database)
      made.set(number, one)
      return one
    }
    return {
      /** On the first schema of the directory's server. */
      shared: own(first),
      /** On the cell of a game. */
      of: async (game: number): Promise<Own> => own(await partOf(game)),
      /** Asks all cells, and leaves out those whose server cannot be reached. */
      inReach: <T>(ask: (own: Own) => Promise<T>): Promise<T[]> => inReach(all, (part) => ask(own(part))),
      /** Whether the cell of a game is on another server than the directory's. */
      isBeside: async (game: number): Promise<boolean> => (await partOf(game)).server !== undefined,
    }
  }
}
