import type { Socket } from 'node:net'
import pg, { type Client } from 'pg'
import { Refusal } from '../refusal.ts'

/** Milliseconds of a step of the clock. It counts steps: while this process itself stands still, nobody can answer it. */
const step = 250
/** Steps without a word of the database, while somebody waits for one: then it is asked; then it is silent. */
const steps = { doubtful: 2, silent: 7 }
/** Steps until slow queries are asked about once more, of which nothing was to be said against. */
const pause = 3
const spare = 2_000

/** Which processes of Postgres have work, and which of them wait for a lock. */
const working = "select pid, wait_event_type is not distinct from 'Lock' as locked from pg_stat_activity where pid = any ($1::int[]) and coalesce(state, '') not like 'idle%'"
/** Of a connection that is given up: what it has locked would be locked for as long as Postgres takes to notice. */
const end = 'select pg_terminate_backend(pid) from pg_stat_activity where pid = any ($1::int[]) and application_name = $2'

interface Waiting {
  /** The one that runs its query; none while it waits for a connection. */
  readonly connection?: Client
  readonly since: number
  /** Steps that it may take on a database that lives. */
  readonly limit: number
  /** Bytes that had come on the connection when they were counted last. */
  read: number
  /** How many times in a row Postgres knew of no work of the connection, or of a lock that it waits for, and nothing had come. */
  stuck: number
}

/**
 * Core's own clock for answers. A database that stands still with its connections open (stopped, or behind a network that
 * drops everything) is told from one that is slow by asking it on a fresh connection: any word is a sign of life. When
 * none comes, all connections with a query under way are broken, so that their callers are told and make new ones. A
 * connection that alone is silent is told from a slow query by what Postgres works at: broken when that is nothing, twice.
 * Broken is also who has waited so long and waits for a lock: Postgres itself counts the time anew for each lock.
 * @param name of the connections
 * @param longest milliseconds after which Postgres ends a query; those that may take longer wait for locks as long as it lets them
 * @param told that it is silent: with the refusal of those who wait
 */
export function watchSilence({ url, name, longest }: { url: string; name: string; longest: number }, told: (refused: Refusal) => void) {
  const waits = new Set<Waiting>()
  let now = 0
  let heard = 0
  let asking = false
  let askAgain = 0

  async function ask(): Promise<void> {
    asking = true
    askAgain = now + pause
    const patience = (steps.silent - steps.doubtful) * step
    const client = new pg.Client({ connectionString: url, application_name: 'games-lrs asks', connectionTimeoutMillis: patience, query_timeout: patience })
    client.on('error', () => {})
    try {
      const slow = [...waits].filter(({ connection, since }) => connection && now - since >= steps.doubtful)
      await client.connect()
      const own = processOf({ connection: client })
      const { rows } = await client.query<{ pid: number; locked: boolean }>(working, [[own, ...slow.map(processOf)]])
      heard = now
      const locked = new Map(rows.map(({ pid, locked }) => [pid, locked]))
      // a pooler has numbers of its own, of which Postgres knows nothing
      if (!locked.has(own)) return
      const lost = slow.filter((one) => isLost(one, locked.get(processOf(one))))
      for (const one of lost) socketOf(one.connection!).destroy(refusal(locked.has(processOf(one))))
      if (lost.length > 0) await client.query(end, [lost.map(processOf), name])
      if (slow.some(({ stuck }) => stuck > 0)) askAgain = now
    } catch (error) {
      // too many connections, starting up: it lives
      if (error instanceof pg.DatabaseError) heard = now
    } finally {
      socketOf(client).destroy()
      asking = false
    }
  }

  /** @param locked undefined: it has no work */
  function isLost(one: Waiting, locked: boolean | undefined): boolean {
    const { bytesRead } = socketOf(one.connection!)
    one.stuck = locked === false || bytesRead !== one.read ? 0 : one.stuck + 1
    one.read = bytesRead
    const mayBeLost = locked === undefined || (now - one.since >= steps.silent && one.limit <= stepsOf(longest))
    return one.stuck >= 2 && mayBeLost && waits.has(one)
  }

  const clock = setInterval(() => {
    now++
    for (const { connection, since, limit } of waits) if (connection && now - since > limit) socketOf(connection).destroy(refusal(false))
    const [oldest] = waits
    if (!oldest) return
    const quiet = now - Math.max(oldest.since, heard)
    if (quiet >= steps.silent) {
      for (const { connection } of waits) if (connection) socketOf(connection).destroy(refusal(true))
      told(refusal(true))
    } else if (!asking && (quiet >= steps.doubtful || (now >= askAgain && now - oldest.since >= steps.doubtful))) void ask()
  }, step).unref()

  async function within<T>(limit: number, work: () => PromiseLike<T>, connection?: Client): Promise<T> {
    const wait: Waiting = { connection, since: now, limit, read: connection ? socketOf(connection).bytesRead : 0, stuck: 0 }
    waits.add(wait)
    try {
      return await work()
    } finally {
      waits.delete(wait)
    }
  }

  return {
    /** Waits for a connection: who has one that was at rest has heard nothing yet. */
    acquiring: <T>(acquire: () => PromiseLike<T>): Promise<T> => within(Infinity, acquire),

    /** @param milliseconds after which Postgres itself ends the query; 0: never */
    async during<T>(connection: Client, milliseconds: number, query: () => PromiseLike<T>): Promise<T> {
      try {
        const result = await within(stepsOf(milliseconds), query, connection)
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

const stepsOf = (milliseconds: number) => (milliseconds === 0 ? Infinity : Math.ceil((milliseconds + spare) / step))

const socketOf = (client: Client) => client.connection.stream as Socket

/** The number of the process of Postgres that serves the connection; pg has no type for it. */
const processOf = ({ connection }: Pick<Waiting, 'connection'>) => (connection as Client & { processID: number }).processID

/** @param away whether whoever waits for the database waits in vain */
const refusal = (away: boolean) => new Refusal('unavailable', 'The database cannot be reached or is busy; try again.', { away })
