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

/** What Postgres says of its processes; `own` tells whether their numbers are those of our connections, which a pooler changes. */
const working = "select pg_backend_pid() as own, array(select pid from pg_stat_activity where pid = any ($1::int[]) and coalesce(state, '') not like 'idle%') as pids"
/** Of a connection that nobody has any more: its locks would be held for as long as Postgres takes to notice. */
const end = "select pg_terminate_backend(pid) from pg_stat_activity where pid = any ($1::int[]) and state like 'idle%' and application_name = $2"

interface Waiting {
  /** The one that runs its query; none while it waits for a connection. */
  readonly connection?: Client
  readonly since: number
  /** Steps that it may take on a database that lives. */
  readonly limit: number
  /** Bytes that had come on the connection when they were counted last. */
  read: number
  /** How many times in a row Postgres knew of no work of the connection, and nothing had come. */
  idle: number
}

/**
 * Core's own clock for answers. A database that stands still with its connections open (stopped, or behind a network that
 * drops everything) is told from one that is slow by asking it on a fresh connection: any word is a sign of life. When
 * none comes, all connections with a query under way are broken, so that their callers are told and make new ones. A
 * connection that alone is silent is told from a slow query by what Postgres works at: broken when that is nothing, twice.
 * @param name of the connections
 * @param told that it is silent: with the refusal of those who wait
 */
export function watchSilence(url: string, name: string, told: (refused: Refusal) => void) {
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
      const { rows: [row] } = await client.query<{ own: number; pids: number[] }>(working, [slow.map(processOf)])
      heard = now
      const lost = row!.own === processOf({ connection: client }) ? slow.filter((one) => isLost(one, row!.pids)) : []
      if (slow.some(({ idle }) => idle > 0)) askAgain = now
      for (const { connection } of lost) socketOf(connection!).destroy(refusal(false))
      if (lost.length > 0) await client.query(end, [lost.map(processOf), name])
    } catch (error) {
      // too many connections, starting up: it lives
      if (error instanceof pg.DatabaseError) heard = now
    } finally {
      socketOf(client).destroy()
      asking = false
    }
  }

  function isLost(one: Waiting, working: readonly number[]): boolean {
    const { bytesRead } = socketOf(one.connection!)
    one.idle = working.includes(processOf(one)) || bytesRead !== one.read ? 0 : one.idle + 1
    one.read = bytesRead
    return one.idle === 2 && waits.has(one)
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
    const wait: Waiting = { connection, since: now, limit, read: connection ? socketOf(connection).bytesRead : 0, idle: 0 }
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
      const limit = milliseconds === 0 ? Infinity : Math.ceil((milliseconds + spare) / step)
      try {
        const result = await within(limit, query, connection)
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

const socketOf = (client: Client) => client.connection.stream as Socket

/** The number of the process of Postgres that serves the connection; pg has no type for it. */
const processOf = ({ connection }: Pick<Waiting, 'connection'>) => (connection as Client & { processID: number }).processID

/** @param away whether whoever waits for the database waits in vain */
const refusal = (away: boolean) => new Refusal('unavailable', 'The database cannot be reached or is busy; try again.', { away })
