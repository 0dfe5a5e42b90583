import { column, done, sql, type Run } from '../../../process/database/database.ts'
import { searchPathOf } from '../../../process/database/schemas.ts'

const numbers = sql('cell_numbers')`select number from cell where server is null order by number`
const enter = sql('cell_enter')`select set_config('search_path', $1, true), set_config('games_lrs.cell', $2, true)`

/** Cells of this server; on another server than the directory's the first one is no cell of the store. */
export const cellNumbers = (run: Run) => column<number>(run(numbers, []))

/**
 * Enters one cell of this server after the other in a transaction: from then on its SQL is about the tables of this
 * cell.
 */
export async function* cellsEntered(run: Run): AsyncGenerator<number> {
  for (const number of await cellNumbers(run)) {
    await enterCell(run, number)
    yield number
  }
  await enterCell(run, 1)
}

/** Lets the rest of a transaction work on the tables of a cell. */
export const enterCell = (run: Run, cell: number) => done(run(enter, [searchPathOf(cell), String(cell)]))
