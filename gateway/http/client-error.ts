import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { commonHeaders } from './answer.ts'

const refusals: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request line and headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
}

/** Time that the client has to read the answer before the connection is destroyed. */
const lingerMs = 2000

/** Answers invalid or oversized HTTP in the same form as other refusals and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, version: string): void {
  // the response under way on this socket; Node has no public name for it
  const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  // a complete request is being handled and gets its own answer; what followed it gets none
  if (current?.req.complete) {
    socket.pause()
    current.once('finish', () => socket.end(() => socket.destroy()))
    return
  }
  // the bytes already written are sent: they may be a whole refusal
  if (current?.headersSent) return leave(socket)
  const [status, message] = refusals[error.code ?? ''] ?? [400, 'The request is not valid HTTP']
  const body = JSON.stringify({ message })
  const headers = [
    'Content-Type',
    'application/json',
    ...commonHeaders(version),
    'Content-Length',
    String(body.length),
    'Connection',
    'close',
  ]
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  leave(socket, `${head}\r\n${body}`)
}

function leave(socket: Duplex, last = ''): void {
  socket.end(last)
  // a client that goes on sending would keep the connection open for ever
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
