import { once } from 'node:events'
import { connect } from 'node:net'

/** One answer, or why there was none. */
export type Told = { status: number; ms: number; body: Buffer } | { error: string }

/** Clients that cost the machine little, since they share it with what they ask: bytes that are made beforehand, answers of which only the status is read. */
export function clients(port: number, most: number) {
  const free: Client[] = []
  let made = 0
  return {
    /** Connects all of them, a few at a time: whom the system lets wait for a connection would be counted as waiting for an answer. */
    async ready(): Promise<void> {
      while (made < most) {
        const some = Array.from({ length: Math.min(50, most - made) }, open)
        await Promise.all(some.map(({ connected }) => connected))
        free.push(...some)
      }
    },
    /** Sends the request over a connection that has nothing to do; false: none has, and there are enough. */
    send(request: Buffer, tell: (told: Told) => void): boolean {
      let client = free.pop()
      // the gateway ends connections that are silent
      while (client?.hasEnded()) client = free.pop()
      if (made < most) client ??= open()
      client?.ask(request, tell)
      return client !== undefined
    },
    close: () => {
      for (const client of free) client.end()
    },
  }

  function open(): Client {
    made++
    return createClient(
      port,
      (client) => free.push(client),
      () => made--,
    )
  }
}

interface Client {
  readonly connected: Promise<unknown>
  ask(request: Buffer, tell: (told: Told) => void): void
  hasEnded(): boolean
  end(): void
}

function createClient(port: number, isFree: (client: Client) => void, hasEnded: () => void): Client {
  let telling: ((told: Told) => void) | undefined
  let began = 0
  let heard = Buffer.alloc(0)
  let lasts = true
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const finish = (told: Told): void => {
    const tell = telling
    telling = undefined
    heard = Buffer.alloc(0)
    tell?.(told)
  }
  const client: Client = {
    connected: once(socket, 'connect'),
    ask(request, tell) {
      telling = tell
      began = performance.now()
      socket.write(request)
    },
    hasEnded: () => socket.readyState !== 'open' && socket.readyState !== 'opening',
    end: () => socket.destroy(),
  }
  socket.on('data', (bytes) => {
    heard = heard.length === 0 ? (bytes as Buffer<ArrayBuffer>) : Buffer.concat([heard, bytes as Buffer])
    const head = heard.indexOf('\r\n\r\n')
    if (head < 0) return
    const headers = heard.toString('latin1', 0, head).toLowerCase()
    const length = Number(/\r\ncontent-length: (\d+)/.exec(headers)?.[1] ?? 0)
    if (heard.length < head + 4 + length) return
    lasts = !headers.includes('\r\nconnection: close')
    finish({ status: Number(headers.slice(9, 12)), ms: performance.now() - began, body: heard.subarray(head + 4) })
    if (lasts) isFree(client)
    else socket.end()
  })
  socket.on('error', ({ message }) => finish({ error: message }))
  socket.on('close', () => {
    hasEnded()
    finish({ error: 'the connection ended without an answer' })
  })
  return client
}
