import { batcher } from '../../../process/concurrency/batcher.ts'
import { arrayOf, scalar, sql, type Database } from '../../../process/database/database.ts'

/** Entries of a list in a row of `telling`: from the first to the last, counted from 1. */
export interface Entries {
  readonly first: number
  readonly last: number
}
/** The definitions of activities and names of agents in one request. */
export interface Told {
  readonly game: number
  readonly definitions: Entries
  readonly names: Entries
}

interface Row {
  readonly base: string
  /** Pieces of it that are not written. */
  left: number
}
interface Piece extends Told {
  readonly row: Row
}

/** Rows that one transaction writes. */
const rowsAtOnce = 1_000
const none: Entries = { first: 1, last: 0 }
const countOf = ({ first, last }: Entries) => last - first + 1

const tell = sql('tell')`select tell($1, $2, $3, $4, $5, $6)`
const tellRest = sql('tell_rest')`select tell_rest($1, 1) as told`
/** Writes all rows of `telling`, in the transaction of an erasure that then deletes names. */
export const tellAll = sql('tell_all')`select tell_rest(9223372036854775807, 2147483647) as told`

/**
 * Writes definitions of activities and names of agents to their tables, after the commit of their statements. Table
 * `telling` has them until then. The transactions are small, and games take turns: only the own requests wait for them.
 */
export function teller({ run }: Pick<Database, 'run'>) {
  const { call } = batcher<Piece, void>(
    async (pieces) => {
      const rows = new Map<Row, number>()
      for (const { row } of pieces) rows.set(row, (rows.get(row) ?? 0) + 1)
      const done = [...rows].filter(([{ left }, written]) => left === written)
      await run(tell, [
        arrayOf(pieces, ({ row }) => row.base),
        arrayOf(pieces, ({ definitions }) => definitions.first),
        arrayOf(pieces, ({ definitions }) => definitions.last),
        arrayOf(pieces, ({ names }) => names.first),
        arrayOf(pieces, ({ names }) => names.last),
        arrayOf(done, ([{ base }]) => base),
      ])
      for (const [row, written] of rows) row.left -= written
      return pieces.map(() => undefined)
    },
    {
      maxWeight: rowsAtOnce,
      weightOf: ({ definitions, names }) => countOf(definitions) + countOf(names),
      concurrency: 1,
    },
  )

  return {
    /**
     * Writes the definitions and names of the requests of a group. There is a promise for each request, and it never
     * rejects: what could not be written stays in `telling`, where readers find it.
     */
    tell(base: string, told: readonly Told[]): Promise<unknown>[] {
      const row: Row = { base, left: 0 }
      const pieces = told.map((one) => [
        ...split(one.definitions).map((definitions) => ({ game: one.game, row, definitions, names: none })),
        ...split(one.names).map((names) => ({ game: one.game, row, definitions: none, names })),
      ])
      row.left = pieces.flat().length
      return pieces.map((ofOne) => Promise.allSettled(ofOne.map((piece) => call(piece))))
    },
    /** Writes what a killed core has left, older than some seconds, one group at a time; 0: there was none. */
    tellRest: (seconds: number) => scalar<number>(run(tellRest, [(Date.now() - seconds * 1_000) * 1_000])),
  }
}

function split({ first, last }: Entries): Entries[] {
  const parts: Entries[] = []
  for (let at = first; at <= last; at += rowsAtOnce)
    parts.push({ first: at, last: Math.min(last, at + rowsAtOnce - 1) })
  return parts
}
