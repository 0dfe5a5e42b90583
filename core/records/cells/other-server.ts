import { isAway, Refusal } from '../../process/refusal.ts'
import { sql, type Database } from '../../process/database/database.ts'

/** Milliseconds for which a server that did not answer is not asked again. */
const restMs = 1_000

const ping = sql('ping')`select 1`

/**
 * A database on another server. It is prepared before its first use, so that core starts without it. A server that does
 * not answer is refused at once for a second: calls of its games must not take the time of other games. One connection
 * that was cut says little, so the server is asked at once whether it answers.
 */
export function otherServer(
  database: Database,
  prepare: () => Promise<void>,
  now: () => number = () => performance.now(),
): Database {
  let ready: Promise<void> | undefined
  let restsUntil = -Infinity

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    if (now() < restsUntil)
      throw new Refusal('unavailable', "The server of this game's cell cannot be reached; try again.", { away: true })
    try {
      await (ready ??= prepare().catch((error: unknown) => {
        ready = undefined
        throw error
      }))
      return await work()
    } catch (error) {
      if (isAway(error)) rest()
      throw error
    }
  }

  function rest(): void {
    restsUntil = now() + restMs
    database.run(ping, []).then(
      () => (restsUntil = -Infinity),
      () => {},
    )
  }

  return {
    ...database,
    run: (query, values) => guarded(() => database.run(query, values)),
    essential: (query, values) => guarded(() => database.essential(query, values)),
    rows: (query, values) => guarded(() => database.rows(query, values)),
    transaction: (work, longest) => guarded(() => database.transaction(work, longest)),
  }
}
