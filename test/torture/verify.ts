import type { TestDatabase } from '../support/database.ts'
import type { Ledger } from './writer.ts'

export interface Findings {
  /** Rows. */
  readonly stored: number
  /** Acknowledged, but not there. */
  readonly lost: number
  readonly doubled: number
  /** There with other bytes than were sent. */
  readonly changed: number
  readonly unsent: number
  /** Batches of which some, but not all, is there. */
  readonly cut: number
  /** There, but not seen by the follower. */
  readonly missed: number
  readonly repeated: number
  readonly disorder: number
  readonly documentsWrong: number
}

/**
 * Compares what was acknowledged with what is there, past the service.
 * @param database of the directory, with cell 1
 * @param second the database with the other cells, when it is another one
 */
export async function verify(
  database: TestDatabase,
  book: Ledger,
  states: Map<string, string>,
  followed: { ids: string[]; disorder: number },
  second = database,
): Promise<Findings> {
  // a game that was moved leaves its rows in the other cell for a while
  const of = async ({ sql }: TestDatabase, schema: string, cell: number) => {
    const games = await database.sql<{ game: number }>('select game from tenant where cell = $1', [cell])
    return sql<{ id: string; body: string }>(`select id, body from ${schema}.statement where game = any ($1)`, [
      games.map(({ game }) => game),
    ])
  }
  const cells = await database.sql<{ number: number }>('select number from cell order by number')
  const found = cells.map(({ number }) =>
    number === 1 ? of(database, 'public', 1) : of(second, `cell_${number}`, number),
  )
  const rows = (await Promise.all(found)).flat()
  const there = new Map(rows.map(({ id, body }) => [id, body]))
  const seen = new Set(followed.ids)
  const sent = [...book.statements]
  return {
    stored: rows.length,
    lost: sent.filter(([id]) => !there.has(id)).length,
    doubled: rows.length - there.size,
    // what the service adds stands behind what was sent
    changed: sent.filter(([id, json]) => there.has(id) && !there.get(id)!.startsWith(json.slice(0, -1))).length,
    unsent: [...there.keys()].filter((id) => !book.statements.has(id)).length,
    cut: book.batches.filter((ids) => ids.some((id) => there.has(id)) && ids.some((id) => !there.has(id))).length,
    missed: rows.filter(({ id }) => !seen.has(id)).length,
    repeated: followed.ids.length - seen.size,
    disorder: followed.disorder,
    documentsWrong: [...book.documents].filter(([id, content]) => states.get(id) !== content).length,
  }
}
