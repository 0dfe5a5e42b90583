import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from 'node:http2'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { createContextValues } from '@connectrpc/connect'
import { isPersonalToken, personalTokenIn } from '../access/personal-tokens.ts'
import { hashSecret } from '../access/secret.ts'
import type { Authentication, Core } from '../context.ts'
import { connectAdapter } from './adapter.ts'
import { blameCaller } from './broken-message.ts'
import { compressionGzip, compressMinBytes } from './compression.ts'
import { mendJsonParse } from './escaped-keys.ts'
import { peer } from './services/health.ts'
import { http2Bounds } from './http2-bounds.ts'
import { bindRelay, relayServer } from './relay/relay-server.ts'
import { interceptors, services } from './services/services.ts'
import { hangUpKey } from './store-stream.ts'
import { rulesFor } from '../xapi/dialect.ts'

export interface Listening {
  readonly port: number
  readonly relayPort: number
  close(): Promise<void>
}

/** The first bytes of every HTTP/2 connection (RFC 9113 3.4). */
const preface = 'PRI'
const closeWithin = 5_000
/**
 * Most bytes of a message. `data`: from games, and services with data of games. `forms`: from the other processes,
 * whose forms have at most 256 KB. `stranger`: without a valid credential or service token, because a message of many
 * fields takes more than a second a megabyte to read.
 */
const messageBytes = { data: 4 * 1024 * 1024, forms: 288 * 1024, stranger: 16 * 1024 } as const
/** Milliseconds within which the request of a stranger must arrive. */
const strangerPatience = 10_000
/** Calls that strangers may make on one connection: at once, and then each second. */
const strangerBurst = 100
const strangerRate = 50

type Sender = keyof typeof messageBytes
type Request = IncomingMessage | Http2ServerRequest
type Response = (ServerResponse & { req: IncomingMessage }) | Http2ServerResponse

/**
 * Serves all services on one port: HTTP/2 for gRPC, HTTP/1.1 for Connect and gRPC-Web. The first bytes of a connection
 * show which of them it is. The relay has a port of its own.
 */
export async function listen(core: Core): Promise<Listening> {
  mendJsonParse()
  const adapter = (readMaxBytes: number) =>
    connectAdapter({
      log: core.log,
      routes: services(core),
      interceptors: interceptors(core),
      readMaxBytes,
      requestGate: blameCaller,
      acceptCompression: [compressionGzip],
      compressMinBytes,
      contextValues: (request) =>
        createContextValues()
          .set(peer, request.socket.remoteAddress ?? '')
          .set(hangUpKey, () => ('stream' in request ? request.stream : request).destroy()),
      // a misspelt property of a statement is an error, otherwise it would be lost silently
      jsonOptions: { ignoreUnknownFields: false },
    })
  const adapters = {
    data: adapter(messageBytes.data),
    forms: adapter(messageBytes.forms),
    stranger: adapter(messageBytes.stranger),
  }
  // Connect reads whole messages before it checks a call, and a connection may carry many: strangers get small bounds.
  const handler = (request: Request, response: Response): void => {
    // Node may report a cut body after Connect has stopped listening; without a listener this would end the process
    request.on('error', () => {})
    const serve = (sender: Sender): void => {
      if (request.aborted) return
      if (sender !== 'stranger') return adapters[sender](request, response)
      const connection = connectionOf(request)
      if (connection && !strangers.may(connection)) return void connection.destroy()
      const late = setTimeout(() => response.destroy(), strangerPatience)
      request.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late))
      adapters.stranger(request, response)
    }
    senderOf(core, request.headers.authorization ?? '')
      .then(serve)
      .catch(() => refuseAddress(response))
  }
  const strangers = strangerCounts()
  const http1 = createHttpServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, handler)
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: 256 }, ...http2Bounds }, handler)
  const sockets = new Set<Socket>()
  const tcp = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    socket.setTimeout(10_000, () => socket.destroy())
    // 'readable', not 'data': the socket must not flow yet, or HTTP/2 gets the bytes after the first ones only.
    socket.once('readable', () => {
      const first: Buffer | null = socket.read()
      if (!first) return
      socket.setTimeout(0)
      socket.unshift(first)
      const server = first.toString('latin1', 0, preface.length) === preface ? http2 : http1
      server.emit('connection', socket)
    })
  })
  tcp.listen(core.config.port, core.config.host)
  await once(tcp, 'listening')
  const relay = relayServer(core)
  try {
    const relayPort = await bindRelay(relay, core.config.host, core.config.relayPort)
    return { port: (tcp.address() as AddressInfo).port, relayPort, close }
  } catch (error) {
    tcp.close()
    throw error
  }

  async function close(): Promise<void> {
    const late = setTimeout(() => {
      relay.forceShutdown()
      for (const socket of sockets) socket.destroy()
    }, closeWithin)
    const closed = once(tcp, 'close')
    tcp.close()
    http1.closeIdleConnections()
    await new Promise<void>((resolve) => relay.tryShutdown(() => resolve()))
    for (const socket of sockets) socket.end()
    await closed
    clearTimeout(late)
  }
}

/** The kind of sender with this Authorization. It only chooses the bounds: each call is authenticated by itself. */
function senderOf(
  { services, authenticator, config, store }: Authentication & Pick<Core, 'config' | 'store'>,
  authorization: string,
): Promise<Sender> {
  const token = personalTokenIn(authorization)
  if (token !== undefined)
    return (isPersonalToken(token) ? store.personalTokens.find(hashSecret(token)) : Promise.resolve(undefined)).then(
      (holder) => (holder ? 'forms' : 'stranger'),
      () => 'stranger',
    )
  const role = services.roleOf(authorization)
  if (role !== undefined) return Promise.resolve(role === 'service' || role === 'admin' ? 'data' : 'forms')
  return authenticator.authenticate(authorization, rulesFor('1.0.3', config.dialect, config.tenancy)).then(
    () => 'data',
    () => 'stranger',
  )
}

/** Answers a request whose host and path are not a valid address. Connect throws for it. */
function refuseAddress(response: Response): void {
  if (response.headersSent) return void response.destroy()
  const message = 'Host (:authority in HTTP/2) and path must make an address.'
  response.statusCode = 400
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ code: 'invalid_argument', message }))
}

/** The connection of a request; undefined: it is closed. */
function connectionOf(request: Request): Socket | Http2Session | undefined {
  return 'stream' in request ? request.stream.session : request.socket
}

/** Counts the calls of strangers on each connection. */
function strangerCounts(now: () => number = () => performance.now()) {
  const counts = new WeakMap<object, { left: number; at: number }>()
  return {
    may(connection: object): boolean {
      const count = counts.get(connection) ?? { left: strangerBurst, at: now() }
      count.left = Math.min(strangerBurst, count.left + ((now() - count.at) / 1000) * strangerRate) - 1
      count.at = now()
      counts.set(connection, count)
      return count.left >= 0
    },
  }
}
