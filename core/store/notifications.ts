import pg from 'pg'
import type { DatabaseOptions } from './database.ts'

const againMs = 1_000

/**
 * Wakes those who wait for notifications of one channel, by their payload. One connection of its own for all of them, from
 * the first one on; when it is made anew everybody is woken, since something may have been missed.
 */
export function notifications(channel: string, { url, wait, onBroken }: DatabaseOptions) {
  const waiting = new Map<string, Set<() => void>>()
  let client: pg.Client | undefined
  let closed = false

  function connect(): void {
    if (closed || client) return
    const own = (client = new pg.Client({ connectionString: url, application_name: 'games-lrs core listens', keepAlive: true, connectionTimeoutMillis: wait }))
    const lost = (): void => {
      if (client !== own) return
      client = undefined
      void own.end().catch(() => {})
      if (closed || waiting.size === 0) return
      setTimeout(connect, againMs).unref()
    }
    own.on('notification', ({ payload = '' }) => wake(waiting.get(payload)))
    own.on('error', (error) => {
      onBroken?.(`the connection that listens broke: ${error.message}`)
      lost()
    })
    own.on('end', lost)
    own.connect().then(() => own.query(`listen ${channel}`)).then(() => {
      for (const all of waiting.values()) wake(all)
    }, lost)
  }

  return {
    /** Calls back whenever there may be something new of this payload; returns what ends that. */
    on(payload: string, callback: () => void): () => void {
      const all = waiting.get(payload) ?? new Set()
      waiting.set(payload, all.add(callback))
      connect()
      return () => {
        all.delete(callback)
        if (all.size === 0 && waiting.get(payload) === all) waiting.delete(payload)
      }
    },
    async close(): Promise<void> {
      closed = true
      const own = client
      client = undefined
      await own?.end().catch(() => {})
    },
  }
}

const wake = (callbacks: Iterable<() => void> = []): void => {
  for (const callback of callbacks) callback()
}
