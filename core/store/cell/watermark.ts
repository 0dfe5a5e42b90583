import { isAway } from '../../refusal.ts'
import type { Database } from '../database.ts'

/** Milliseconds after which an idle store is asked again how far its order has come. */
const freshFor = 25
const advanceOrder = { name: 'advance_order', text: 'select advance_order() as through' }

/**
 * How far the order of `stored` is known to be complete: every query that starts after a value was learnt sees all
 * statements up to it. Learnt from our own commits, and from the order itself while there are none.
 */
export function watermark(database: Database, now: () => number = () => performance.now()) {
  let through = 0
  let learnt = -Infinity

  function learn(value: number): void {
    learnt = now()
    if (value > through) through = value
  }

  return {
    /** A commit of ours ended at this place in the order. */
    learn,
    /** The place, in microseconds, up to which a query that starts now sees everything. */
    async read(): Promise<number> {
      if (now() - learnt < freshFor) return through
      learnt = now()
      try {
        const [row] = await database.run<{ through: string | null }>(advanceOrder, [])
        if (row!.through !== null) learn(Number(row!.through))
      } catch (error) {
        // whoever goes on would wait for it once more
        if (isAway(error)) throw error
        // A store that only reads (disk full, standby) has the place that it had.
      }
      return through
    },
  }
}

export type Watermark = ReturnType<typeof watermark>
