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

/** Compares what was acknowledged with what is there, past the service. */
export async function verify(
  database: TestDatabase,
  book: Ledger,
  states: Map<string, string>,
  followed: { ids: string[]; disorder: number },
): Promise<Findings> {
  // a game that was moved leaves its rows in the other cell for a while
  const of = (schema: string, cell: number) =>
    `select s.id, s.body, s.stored from ${schema}.statement s join tenant t on t.game = s.game and t.cell = ${cell}`
  const rows = await database.sql<{ id: string; body: string }>(
    `${of('public', 1)} union all ${of('cell_2', 2)} order by stored`,
  )
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
