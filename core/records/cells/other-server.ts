import { isAway, Refusal } from '../../process/refusal.ts'
import { isFenced } from '../../process/database/store-failure.ts'
import { sql, type Database } from '../../process/database/database.ts'

/** Milliseconds for which a server that did not answer is not asked again. */
const restMs = 1_000
/** Milliseconds for which calls may go on at an old address: longer than any query. */
const retireMs = 15_000

const ping = sql('ping')`select 1`

/**
 * A database on another server. It is prepared before its first use, so that core starts without it, and opened again
 * when the server gets another address. A server that does not answer is refused at once for a second: calls of its
 * games must not take the time of other games. One connection that was cut says little, so the server is asked at once
 * whether it answers.
 */
export function otherServer(
  address: () => string | undefined,
  open: () => Database,
  prepare: () => Promise<void>,
  now: () => number = () => performance.now(),
): Database {
  let at = address()
  let database = open()
  let ready: Promise<void> | undefined
  let restsUntil = -Infinity
  const retired = new Set<Database>()

  /** The database at today's address. Calls that are under way end at the old one. */
  function opened(): Database {
    const next = address()
    if (next !== at) {
      retire(database)
      at = next
      database = open()
      ready = undefined
      restsUntil = -Infinity
    }
    return database
  }

  /** Calls that are under way end first. */
  function retire(old: Database): void {
    retired.add(old)
    setTimeout(() => retired.delete(old) && void old.close().catch(() => {}), retireMs).unref()
  }

  async function guarded<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const asked = opened()
    if (now() < restsUntil)
      throw new Refusal('unavailable', "The server of this game's cell cannot be reached; try again.", { away: true })
    try {
      const prepared = (ready ??= prepare())
      await prepared.catch((error: unknown) => {
        if (ready === prepared) ready = undefined
        throw error
      })
      return await work(asked)
    } catch (error) {
      if (isAway(error) && !isFenced(error) && asked === database) rest(asked)
      throw error
    }
  }

  function rest(asked: Database): void {
    restsUntil = now() + restMs
    asked.run(ping, []).then(
      () => (restsUntil = -Infinity),
      () => {},
    )
  }

  return {
    ...database,
    run: (query, values) => guarded(({ run }) => run(query, values)),
    essential: (query, values) => guarded(({ essential }) => essential(query, values)),
    rows: (query, values) => guarded(({ rows }) => rows(query, values)),
    transaction: (work, longest) => guarded(({ transaction }) => transaction(work, longest)),
    snapshot: (work, longest) => guarded(({ snapshot }) => snapshot(work, longest)),
    pool: () => database.pool(),
    async close() {
      const all = [database, ...retired]
      retired.clear()
      await Promise.all(all.map((one) => one.close()))
    },
  }
}
