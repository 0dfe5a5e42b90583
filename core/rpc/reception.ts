import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from 'node:http2'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { http2Bounds } from './http2-bounds.ts'
import { tlsServer } from './tls-server.ts'
import type { WatchedTls } from '../../shared/tls/tls-files.ts'
import { strangers, type Guest } from './strangers.ts'

export type Request = IncomingMessage | Http2ServerRequest
export type Response = (ServerResponse & { req: IncomingMessage }) | Http2ServerResponse

/** The first bytes of every HTTP/2 connection (RFC 9113 3.4). */
const preface = 'PRI'
/**
 * For the strangers of one network: how many connections and calls at once and in a second, how many milliseconds a
 * connection waits at most, and how many are open. A caller is known after the first call with a valid credential.
 */
const bounds = { burst: 200, perSecond: 50, patience: 5_000, open: 64, openInAll: 1_024, networks: 10_000 } as const

/**
 * Takes connections. The first bytes of a connection show whether it is HTTP/2 or HTTP/1.1. If a network opens too
 * many, the connections of its strangers wait in a queue.
 * @param isOwn whether a process of ours has this Authorization; they speak HTTP/1.1, and never wait
 * @param serve serves a call
 * @param tls undefined: connections have none
 */
export function reception(
  isOwn: (authorization: string) => boolean,
  serve: (request: Request, response: Response, guest: Guest) => Promise<void>,
  tls?: WatchedTls,
) {
  const counted = strangers(bounds)
  const guests = new WeakMap<Socket | Http2Session, Guest>()
  const turns = new WeakMap<Guest, Promise<void>>()

  function take(request: Request, response: Response): void {
    // Node may report a cut body after Connect has stopped listening; without a listener this would end the process
    request.on('error', () => {})
    const connection = 'stream' in request ? request.stream.session : request.socket
    const guest = connection && guests.get(connection)
    if (!guest) return
    const admit = async (): Promise<void> => {
      if (guest.isKnown || guest.may()) {
        if (!isGivenUp(request)) await serve(request, response, guest)
      } else if (guests.delete(connection)) hangUp(connection)
    }
    // the first call may show who it is: the others wait for that
    if (guest.isKnown) return void admit()
    turns.set(guest, (turns.get(guest) ?? Promise.resolve()).then(admit))
  }
  const http1 = createHttpServer({ headersTimeout: 10_000, requestTimeout: 30_000 }, take)
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: 256 }, ...http2Bounds }, take)
  const sockets = new Set<Socket>()

  function begin(socket: Socket, first: Buffer, isHttp2: boolean, guest: Guest): void {
    if (socket.destroyed) return
    socket.setTimeout(0)
    // as one piece: Node's session throws, and ends core, when the first of two pieces breaks the rules and ends it
    const pieces = [first]
    for (let more: Buffer | null; (more = socket.read()) !== null;) pieces.push(more)
    socket.unshift(pieces.length === 1 ? first : Buffer.concat(pieces))
    guests.set(socket, guest)
    if (isHttp2) http2.once('session', (session) => guests.set(session, guest)).emit('connection', socket)
    else http1.emit('connection', socket)
  }
  function note(socket: Socket): void {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
  }
  function greet(socket: Socket): void {
    note(socket)
    socket.setTimeout(10_000, () => socket.destroy())
    // 'readable', not 'data': the socket must not flow yet, or HTTP/2 gets the bytes after the first ones only.
    socket.once('readable', () => {
      const first: Buffer | null = socket.read()
      if (!first) return
      const isHttp2 = first.toString('latin1', 0, preface.length) === preface
      if (!isHttp2 && isOwn(authorizationIn(first))) return begin(socket, first, isHttp2, ours)
      const entered = counted.enter(socket.remoteAddress ?? '', () => socket.destroy())
      if (!entered) return void socket.destroy()
      const { wait, guest } = entered
      socket.once('close', guest.left)
      if (wait === 0) begin(socket, first, isHttp2, guest)
      else setTimeout(() => begin(socket, first, isHttp2, guest), wait).unref()
    })
  }
  const tcp = tls === undefined ? createTcpServer(greet) : tlsServer(tls, note, greet)
  return {
    tcp,
    /** Ends connections that carry no call. */
    closeIdle: () => http1.closeIdleConnections(),
    /** Ends the others as soon as what was written is sent; or at once. */
    end: (isLate: boolean) => {
      for (const socket of sockets)
        if (isLate) socket.destroy()
        else socket.end()
    },
  }
}

const ours: Guest = { isKnown: true, known() {}, may: () => true, left() {} }

/** Nobody waits for the answer any more. */
export const isGivenUp = (request: Request): boolean =>
  request.aborted || ('stream' in request ? request.stream.destroyed : request.socket.destroyed)

/** In a turn of its own: not while Node still takes in bytes for it. */
function hangUp(connection: Socket | Http2Session): void {
  setImmediate(() => {
    if ('goaway' in connection) connection.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    else connection.destroy()
  })
}

/** The Authorization in the first bytes of HTTP/1.1; empty: none. */
const authorizationIn = (first: Buffer): string =>
  /\r\nauthorization:[ \t]*([^\r\n]*)\r\n/i.exec(first.toString('latin1', 0, 16 * 1024))?.[1] ?? ''
