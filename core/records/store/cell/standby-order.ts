import { sql, type Database } from '../../../process/database/database.ts'
import type { Watermark } from './watermark.ts'

/** Milliseconds for which an answer of the standby is good enough. */
const freshFor = 25
const state = sql('standby_state')`select o.last_value as last, pg_is_in_recovery() as standby,
    (select sum(c.erased) from cell c) as erased from statement_order o`

/** The server takes writes: it is a primary. */
export class NoStandby extends Error {
  override message = 'it is no standby'
}

/**
 * The watermark of a cell on a standby. The last number of the order is in the log before the commit of its statements,
 * and the next writer begins after that commit. So the standby has all statements up to a number once it shows
 * a later number. A number that was set while nobody wrote is complete at once.
 */
export function standbyOrder(database: Pick<Database, 'run'>, now: () => number = () => performance.now()) {
  let through = 0
  /** The last number of the order that the standby has shown. */
  let last = 0
  let idle = Infinity
  let erased = ''
  let asked = -Infinity

  const learn = (value: number): void => void (through = Math.max(through, value))

  async function ask(): Promise<number> {
    asked = now()
    const [row] = await database.run<{ last: string; standby: boolean; erased: string }>(state, [])
    if (!row!.standby) throw new NoStandby()
    const shown = Number(row!.last)
    if (shown > last) learn(last)
    if (shown >= idle) learn(idle)
    last = Math.max(last, shown)
    erased = row!.erased
    return through
  }

  return {
    /** Notes that a statement of this position was found, or everything up to there. */
    learn,
    read: async (): Promise<number> => (now() - asked < freshFor ? through : ask()),
    ask,
    /** Notes the number that the primary set while nobody wrote. */
    idleAt: (value: number): void => void (idle = value),
    /** The last number of the order that the standby has shown. */
    last: (): number => last,
    /** Transactions that had erased something on the server, as the standby last knew. */
    erased: (): string => erased,
  } satisfies Watermark & Record<string, unknown>
}

export type StandbyOrder = ReturnType<typeof standbyOrder>
