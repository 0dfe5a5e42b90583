import pg, { type Client } from 'pg'
import { Refusal } from '../refusal.ts'

/** Milliseconds of a step of the clock. It counts steps: while this process itself stands still, nobody can answer it. */
const step = 250
/** Steps without a word of the database, while somebody waits for one: then it is asked; then it is silent. */
const steps = { doubtful: 2, silent: 7 }
const spare = 2_000

interface Waiting {
  /** The one that runs its query; none while it waits for a connection. */
  readonly connection?: Client
  readonly since: number
  /** Steps that it may take on a database that lives. */
  readonly limit: number
}

/**
 * Core's own clock for answers. A database that stands still with its connections open (stopped, or behind a network that
 * drops everything) is told from one that is slow by asking it on a fresh connection: any word is a sign of life. When
 * none comes, all connections with a query under way are broken, so that their callers are told and make new ones.
 * @param told that it is silent: with the refusal of those who wait
 */
export function watchSilence(url: string, told: (refused: Refusal) => void) {
  const waits = new Set<Waiting>()
  let now = 0
  let heard = 0
  let asking = false

  async function ask(): Promise<void> {
    asking = true
    const patience = (steps.silent - steps.doubtful) * step
    const client = new pg.Client({ connectionString: url, application_name: 'games-lrs asks', connectionTimeoutMillis: patience, query_timeout: patience })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select 1')
      heard = now
    } catch (error) {
      // too many connections, starting up: it lives
      if (error instanceof pg.DatabaseError) heard = now
    } finally {
      socketOf(client).destroy()
      asking = false
    }
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
    } else if (quiet >= steps.doubtful && !asking) void ask()
  }, step).unref()

  async function within<T>(wait: Waiting, work: () => PromiseLike<T>): Promise<T> {
    waits.add(wait)
    try {
      return await work()
    } finally {
      waits.delete(wait)
    }
  }

  return {
    /** Waits for a connection: who has one that was at rest has heard nothing yet. */
    acquiring: <T>(acquire: () => PromiseLike<T>): Promise<T> => within({ since: now, limit: Infinity }, acquire),

    /** @param milliseconds after which Postgres itself ends the query; 0: never */
    async during<T>(connection: Client, milliseconds: number, query: () => PromiseLike<T>): Promise<T> {
      const limit = milliseconds === 0 ? Infinity : Math.ceil((milliseconds + spare) / step)
      try {
        const result = await within({ connection, since: now, limit }, query)
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

const socketOf = (client: Client) => client.connection.stream

/** @param away whether whoever waits for the database waits in vain */
const refusal = (away: boolean) => new Refusal('unavailable', 'The database cannot be reached or is busy; try again.', { away })
