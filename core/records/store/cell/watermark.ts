import { isAway } from '../../../process/refusal.ts'
import { sql, type Database } from '../../../process/database/database.ts'

/** Milliseconds after which an idle store is asked again how far its order has come. */
const freshFor = 25
const advanceOrder = sql('advance_order')`select advance_order() as through`

/**
 * The position up to which the order of a cell is known to be complete: a query that starts after the value was read
 * sees all statements up to it. It comes from this core's commits, or from the database while there are none.
 */
export function watermark(database: Database, now: () => number = () => performance.now()) {
  let through = 0
  let learnt = -Infinity

  function learn(value: number): void {
    learnt = now()
    if (value > through) through = value
  }

  async function ask(): Promise<number> {
    learnt = now()
    try {
      const [row] = await database.run<{ through: string | null }>(advanceOrder, [])
      if (row!.through !== null) learn(Number(row!.through))
    } catch (error) {
      // the next query would wait for the database as well
      if (isAway(error)) throw error
      // a read-only store (disk full, standby) keeps the last known position
    }
    return through
  }

  return {
    /** Notes the last position of a commit of this core. */
    learn,
    /** The position, in microseconds, up to which a query that starts now sees everything. */
    read: async (): Promise<number> => (now() - learnt < freshFor ? through : ask()),
    /** The same, as the database has it now. While a transaction writes it is the last one known. */
    ask,
  }
}

export type Watermark = ReturnType<typeof watermark>
