import type { Socket } from 'node:net'
import { createServer, type Server } from 'node:tls'
import type { WatchedTls } from '../../shared/tls/tls-files.ts'

/** Milliseconds that a caller has for the handshake. */
const handshakeTimeout = 10_000

/**
 * Takes connections with TLS, for HTTP/2 and HTTP/1.1. With a CA for callers, it refuses those without a certificate.
 * New files count for new connections.
 * @param opened gets each connection before its handshake
 */
export function tlsServer(tls: WatchedTls, opened: (socket: Socket) => void, take: (socket: Socket) => void): Server {
  const { ca, cert, key } = tls.current()
  const isMutual = ca !== undefined
  const server = createServer(
    {
      ca,
      cert,
      key,
      requestCert: isMutual,
      rejectUnauthorized: isMutual,
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout,
    },
    take,
  )
  tls.onChange((material) => server.setSecureContext(material))
  return server.on('connection', opened).on('tlsClientError', (_error, socket) => socket.destroy())
}
