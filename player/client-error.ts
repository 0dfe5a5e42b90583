import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/** Milliseconds that the browser has to read the answer before the connection is closed. */
const lingerMs = 2_000

/**
 * Answers requests that Node could not read. On a wildcard domain a game can set cookies for all games. When their
 * headers are too long to read, the answer makes the browser remove them. The player reads no cookies.
 */
export function answerClientError({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  // an answer is under way on this socket; Node has no public name for it
  const { _httpMessage: current } = socket as { _httpMessage?: unknown }
  if (code === 'ECONNRESET' || !socket.writable || current) {
    socket.destroy()
    return
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const body =
    status === 431
      ? 'Your browser sent too much, such as cookies of another game. It removes its cookies now: load the page again.'
      : STATUS_CODES[status]!
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...(status === 431 ? ['Clear-Site-Data: "cookies"'] : []),
    'Content-Type: text/plain; charset=utf-8',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
