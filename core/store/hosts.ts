import { setTimeout as sleep } from 'node:timers/promises'
import pg, { type Client, type ClientConfig } from 'pg'
import { databaseHosts, type SessionAttributes } from '../../shared/settings/database-hosts.ts'

/** The servers of one database, of which one takes writes at a time. */
export interface Hosts {
  /** There is nothing to choose. */
  readonly isOne: boolean
  /** Address of the server that was found last. */
  readonly current: string
  /** A connection to the server that may be used. Rejects with what the last one answered when there is none. */
  connect(settings: ClientConfig): Promise<Client>
}

/** The server that was found last gets this long before the others are asked too. */
const headStartMs = 250

const state =
  "select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') = 'on' as \"readOnly\""

const all = new Map<string, Hosts>()

/** The same for everybody who has the same address, so that all follow what one of them has found. @throws SettingError */
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
        return { address, client: await connectTo(address, settings, attributes, ended.signal) }
      })
      try {
        const { address, client } = await Promise.any(attempts)
        current = address
        return client
      } catch (error) {
        // a standby says less than a server that cannot be reached
        const errors = (error as AggregateError).errors as Error[]
        throw errors.find((one) => !(one instanceof NotUsable)) ?? errors[0]!
      } finally {
        ended.abort()
      }
    },
  }
}

class NotUsable extends Error {
  /** As Postgres says of itself while it is not there yet: the caller may try again. */
  readonly code = '57P03'
}

async function connectTo(
  url: string,
  settings: ClientConfig,
  attributes: SessionAttributes,
  ended: AbortSignal,
): Promise<Client> {
  const client = new pg.Client({ ...settings, connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    if (attributes !== 'any') {
      const { rows } = await client.query<{ standby: boolean; readOnly: boolean }>(state)
      const { standby, readOnly } = rows[0]!
      if (standby) throw new NotUsable('The server is a standby.')
      if (readOnly && attributes === 'read-write') throw new NotUsable('The server takes no writes.')
    }
    // another server was faster
    ended.throwIfAborted()
    return client
  } catch (error) {
    client.connection.stream.destroy()
    throw error
  }
}
