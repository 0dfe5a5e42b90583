import { setTimeout as sleep } from 'node:timers/promises'
import pg, { type Client, type ClientConfig } from 'pg'
import { databaseHosts, type SessionAttributes } from '../../../shared/settings/database-hosts.ts'

/** The servers of one database. One at a time accepts writes. */
export interface Hosts {
  /** There is one server, with any attributes. */
  readonly isOne: boolean
  /** Address of the server that was connected last. */
  readonly current: string
  /** Connects to a usable server. Rejects with the error of a server if none is usable. */
  connect(settings: ClientConfig): Promise<Client>
}

/** Milliseconds after which the other servers are tried, too. */
const headStartMs = 250
const patienceMs = 2_000

const state =
  "select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') = 'on' as \"readOnly\""

const all = new Map<string, Hosts>()

/** Returns the same object for the same address, so that all users learn of a failover. @throws SettingError */
export function hostsOf(url: string): Hosts {
  const known = all.get(url) ?? createHosts(url)
  all.set(url, known)
  return known
}

function createHosts(url: string): Hosts {
  const { urls, attributes } = databaseHosts(url)
  let current = urls[0]!
  return {
    isOne: urls.length === 1 && attributes === 'any',
    get current() {
      return current
    },
    async connect(settings) {
      const ended = new AbortController()
      const order = [current, ...urls.filter((other) => other !== current)]
      const attempts = order.map(async (address, n) => {
        if (n > 0) await sleep(headStartMs, undefined, { signal: ended.signal })
        return { address, client: await connectTo(address, settings, attributes) }
      })
      try {
        const { address, client } = await Promise.any(attempts)
        current = address
        for (const other of attempts)
          other.then(
            (late) => late.client !== client && late.client.connection.stream.destroy(),
            () => {},
          )
        return client
      } catch (error) {
        // that a server cannot be reached matters more than that another one is a standby
        const errors = (error as AggregateError).errors as Error[]
        throw errors.find((one) => !(one instanceof NotUsable)) ?? errors[0]!
      } finally {
        ended.abort()
      }
    },
  }
}

class NotUsable extends Error {
  /** Postgres's own code while it starts (cannot_connect_now): the caller may try again. */
  readonly code = '57P03'
}

async function connectTo(url: string, settings: ClientConfig, attributes: SessionAttributes): Promise<Client> {
  const client = new pg.Client({ ...settings, connectionString: url })
  client.on('error', () => {})
  // a server may accept the connection and then send nothing
  const timer = setTimeout(() => client.connection.stream.destroy(), settings.connectionTimeoutMillis ?? patienceMs)
  try {
    await client.connect()
    if (attributes !== 'any') {
      const { rows } = await client.query<{ standby: boolean; readOnly: boolean }>(state)
      const { standby, readOnly } = rows[0]!
      if (standby) throw new NotUsable('The server is a standby.')
      if (readOnly && attributes === 'read-write') throw new NotUsable('The server takes no writes.')
    }
    return client
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}
