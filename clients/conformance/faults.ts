import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** One request for statements, as it came from a client. */
export interface Seen {
  /** Milliseconds, as of `Date.now`. */
  readonly at: number
  readonly method: string
  readonly body: string
  /** 0: the client got no answer. */
  status: number
}

/** What happens to requests for statements. Documents always pass. */
export type Fault =
  | { readonly kind: 'none' }
  /** The connection breaks off before anything reaches the gateway. */
  | { readonly kind: 'down' }
  /** The gateway gets the request, its answer is lost. */
  | { readonly kind: 'answer lost' }
  /** The answer arrives, and the connection is closed after it, as some proxies do. */
  | { readonly kind: 'closing' }
  /** Milliseconds before the gateway gets the request, and again before the client gets the answer. */
  | { readonly kind: 'slow'; readonly by: number }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: string
    }

/** A proxy to a gateway, on which requests fail as a test asks. */
export async function faultyWay(gateway: string) {
  const seen: Seen[] = []
  const faults: Fault[] = []
  let usual: Fault = { kind: 'none' }

  async function pass(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const isBatch = /\/statements\b/.test(request.url!) && request.method !== 'GET' && request.method !== 'OPTIONS'
    const one: Seen = { at: Date.now(), method: request.method!, body: body.toString(), status: 0 }
    if (isBatch) seen.push(one)
    const fault: Fault = isBatch ? (faults.shift() ?? usual) : { kind: 'none' }
    if (fault.kind === 'down') return void request.socket.resetAndDestroy()
    if (fault.kind === 'answer') {
      one.status = fault.status
      // a page may read only what it is allowed to
      const allow = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After, Date' }
      response.writeHead(fault.status, { 'Content-Type': 'application/json', ...allow, ...fault.headers })
      return void response.end(fault.body ?? JSON.stringify({ message: `a test answers ${fault.status}` }))
    }
    if (fault.kind === 'slow') await sleep(fault.by)
    const headers = { ...request.headers, host: new URL(gateway).host }
    const onward = send(new URL(request.url!, gateway), { method: request.method!, headers }).end(body)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    const bytes = Buffer.concat(await answer.toArray())
    if (fault.kind === 'answer lost') return void request.socket.resetAndDestroy()
    if (fault.kind === 'slow') await sleep(fault.by)
    one.status = answer.statusCode!
    const closing = fault.kind === 'closing' ? { connection: 'close' } : {}
    response.writeHead(one.status, { ...answer.headers, ...closing }).end(bytes)
  }

  const server = createServer((request, response) => {
    request
      .toArray()
      .then((chunks) => pass(request, Buffer.concat(chunks), response))
      .catch(() => request.socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    /** Of xAPI, for clients. */
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/xapi/`,
    seen,
    /** The next requests for statements get these, one each. */
    next: (...given: readonly Fault[]): void => void faults.push(...given),
    /** All later ones get this one. */
    from(fault: Fault): void {
      usual = fault
    },
    /** Forgets what was seen and every fault. */
    reset(): void {
      seen.length = faults.length = 0
      usual = { kind: 'none' }
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type FaultyWay = Awaited<ReturnType<typeof faultyWay>>
