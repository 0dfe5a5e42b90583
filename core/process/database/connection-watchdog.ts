import type { Socket } from 'node:net'
import pg, { type Client } from 'pg'
import { Refusal } from '../refusal.ts'

/** Milliseconds between ticks. Time is counted in ticks: while this process is stopped, no answer can reach it. */
const tick = 250
/** Ticks without a byte from the database while a query waits, before the database is probed. */
const probed = 2
/** Ticks until queries that were found to be merely slow are checked again. */
const pause = 3
/** Milliseconds beyond a query's own time limit. */
const spare = 2_000

/** The Postgres processes that run a query, and whether they wait for a lock. */
const working =
  "select pid, wait_event_type is not distinct from 'Lock' as locked " +
  "from pg_stat_activity where pid = any ($1::int[]) and coalesce(state, '') not like 'idle%'"
/** Ends abandoned connections: otherwise their locks are held until Postgres notices. */
const terminate =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid = any ($1::int[]) and application_name = $2'

interface Waiting {
  /** Undefined while it waits for a connection. */
  readonly connection?: Client
  readonly since: number
  /** Ticks that the query may take on a database that answers. */
  readonly limit: number
  /** Bytes received on the connection at the last check. */
  read: number
  /** Consecutive checks in which Postgres ran nothing for the connection, or waited for a lock, and no byte arrived. */
  stuck: number
}

/**
 * Ends connections that a database or network has stopped serving, but not those with slow queries. When no byte
 * arrives for two ticks, the watchdog probes the database on a new connection. Without an answer, all connections with
 * a query are closed: their callers get a refusal and open new ones. With an answer, a connection is closed when
 * Postgres runs nothing for it in two checks, or when its query waits for a lock beyond its time: Postgres restarts its
 * own count at each lock.
 * @param name application_name of the connections
 * @param longest milliseconds after which Postgres ends a query; one with a larger limit may wait for locks that long
 * @param wait milliseconds within which a silent database is detected
 * @param onSilent called with the refusal that the waiting callers get
 */
export function connectionWatchdog(
  { url, name, longest, wait }: { url: () => string; name: string; longest: number; wait: number },
  onSilent: (refused: Refusal) => void,
) {
  const silent = Math.max(probed + 1, Math.floor(wait / tick) - 1)
  const waits = new Set<Waiting>()
  let now = 0
  let heard = 0
  let isProbing = false
  let nextProbe = 0

  async function probe(): Promise<void> {
    isProbing = true
    nextProbe = now + pause
    const timeout = (silent - probed) * tick
    const client = new pg.Client({
      connectionString: url(),
      application_name: 'games-lrs probe',
      connectionTimeoutMillis: timeout,
      query_timeout: timeout,
    })
    client.on('error', () => {})
    try {
      const slow = [...waits].filter(({ connection, since }) => connection && now - since >= probed)
      await client.connect()
      const own = processOf({ connection: client })
      const { rows } = await client.query<{ pid: number; locked: boolean }>(working, [[own, ...slow.map(processOf)]])
      heard = now
      const locked = new Map(rows.map(({ pid, locked }) => [pid, locked]))
      // a pooler reports process ids that Postgres does not have
      if (!locked.has(own)) return
      const lost = slow.filter((one) => isLost(one, locked.get(processOf(one))))
      for (const one of lost) socketOf(one.connection!).destroy(refusal(locked.has(processOf(one))))
      if (lost.length > 0) await client.query(terminate, [lost.map(processOf), name])
      if (slow.some(({ stuck }) => stuck > 0)) nextProbe = now
    } catch (error) {
      // an error of Postgres, such as too many connections, is an answer
      if (error instanceof pg.DatabaseError) heard = now
    } finally {
      socketOf(client).destroy()
      isProbing = false
    }
  }

  /** @param locked whether its query waits for a lock; undefined: Postgres runs no query for it */
  function isLost(one: Waiting, locked: boolean | undefined): boolean {
    const { bytesRead } = socketOf(one.connection!)
    one.stuck = locked === false || bytesRead !== one.read ? 0 : one.stuck + 1
    one.read = bytesRead
    const mayBeLost = locked === undefined || (now - one.since >= silent && one.limit <= ticksOf(longest))
    return one.stuck >= 2 && mayBeLost && waits.has(one)
  }

  const clock = setInterval(() => {
    now++
    for (const { connection, since, limit } of waits) {
      if (connection && now - since > limit) socketOf(connection).destroy(refusal(false))
    }
    const [oldest] = waits
    if (!oldest) return
    const quiet = now - Math.max(oldest.since, heard)
    if (quiet >= silent) {
      for (const { connection } of waits) if (connection) socketOf(connection).destroy(refusal(true))
      onSilent(refusal(true))
    } else if (!isProbing && (quiet >= probed || (now >= nextProbe && now - oldest.since >= probed))) {
      void probe()
    }
  }, tick).unref()

  async function within<T>(limit: number, work: () => PromiseLike<T>, connection?: Client): Promise<T> {
    const read = connection ? socketOf(connection).bytesRead : 0
    const wait: Waiting = { connection, since: now, limit, read, stuck: 0 }
    waits.add(wait)
    try {
      return await work()
    } finally {
      waits.delete(wait)
    }
  }

  return {
    /** Watches the wait for a connection. An idle connection from the pool is no sign that the database answers. */
    acquiring: <T>(acquire: () => PromiseLike<T>): Promise<T> => within(Infinity, acquire),

    /** @param milliseconds after which Postgres itself ends the query; 0: never */
    async during<T>(connection: Client, milliseconds: number, query: () => PromiseLike<T>): Promise<T> {
      try {
        const result = await within(ticksOf(milliseconds), query, connection)
        heard = now
        return result
      } catch (error) {
        if (error instanceof pg.DatabaseError) heard = now
        throw error
      }
    },

    close: () => clearInterval(clock),
  }
}

const ticksOf = (milliseconds: number) => (milliseconds === 0 ? Infinity : Math.ceil((milliseconds + spare) / tick))

const socketOf = (client: Client) => client.connection.stream as Socket

/** Id of the Postgres process that serves the connection; pg's types omit it. */
const processOf = ({ connection }: Pick<Waiting, 'connection'>) =>
  (connection as Client & { processID: number }).processID

/** @param away whether the database itself does not answer */
const refusal = (away: boolean) =>
  new Refusal('unavailable', 'The database cannot be reached or is busy; try again.', { away })
