import pg from 'pg'
import { sql, type DatabaseOptions } from './database.ts'
import { hostsOf } from './hosts.ts'
import { askProven, setUpFor } from './wire.ts'

const againMs = 1_000
const ping = sql('ping')`select`

/**
 * Calls callbacks for notifications of one channel, by payload. They share one connection, which the first one opens.
 * After a reconnect all are called, since a notification may have been missed. While there are callbacks, the
 * connection is tested every `wait` milliseconds. A network that drops everything reports no error. A pooler that gives
 * the session, and with it LISTEN, to another connection reports none, too.
 */
export function notifications(
  channel: string,
  { url, wait, outage }: Pick<DatabaseOptions, 'url' | 'wait' | 'outage'>,
) {
  const listen = sql('')`listen ${channel}`
  const waiting = new Map<string, Set<() => void>>()
  let client: pg.Client | undefined
  let clock: NodeJS.Timeout | undefined
  let closed = false

  function drop(): void {
    clearInterval(clock)
    // client.end() would wait for an answer
    client?.connection.stream.destroy()
    client = undefined
  }

  function connect(): void {
    if (closed || client) return
    const own = (client = new pg.Client({
      connectionString: hostsOf(url).current,
      application_name: 'games-lrs core listens',
      keepAlive: true,
      connectionTimeoutMillis: wait,
      query_timeout: wait,
    }))
    const lost = ({ message } = new Error('it ended')): void => {
      if (client !== own) return
      drop()
      if (closed || waiting.size === 0) return
      outage?.failed(`the connection that listens broke: ${message}`)
      setTimeout(connect, againMs).unref()
    }
    own.on('notification', ({ payload = '' }) => wake(waiting.get(payload)))
    own.on('error', lost)
    own.on('end', lost)
    own
      .connect()
      .then(() => setUpFor(1, own))
      .then(() => askProven(own, listen, []))
      .then(() => {
        if (client !== own) return
        for (const all of waiting.values()) wake(all)
        clock = setInterval(() => {
          if (waiting.size > 0) askProven(own, ping, []).catch(lost)
        }, wait).unref()
      })
      .catch(lost)
  }

  return {
    /** Calls `callback` whenever there may be news of this payload; returns how to stop that. */
    on(payload: string, callback: () => void): () => void {
      const all = waiting.get(payload) ?? new Set()
      waiting.set(payload, all.add(callback))
      connect()
      return () => {
        all.delete(callback)
        if (all.size === 0 && waiting.get(payload) === all) waiting.delete(payload)
      }
    },
    close(): void {
      closed = true
      drop()
    },
  }
}

const wake = (callbacks: Iterable<() => void> = []): void => {
  for (const callback of callbacks) callback()
}
