import type { ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { commonHeaders } from './answer.ts'

const refusals: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request line and headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
}

/** Time to read the answer before a reset may take it away. */
const lingerMs = 2000

/** Answers what is no HTTP, or too much of it, in the form of every other refusal; then the connection ends. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex, version: string): void {
  // the answer under way on this socket, a field of Node's that has no other name
  const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  // a request that arrived whole is under way: it gets its own answer, and what came after it none
  if (current?.req.complete) {
    socket.pause()
    current.once('finish', () => socket.end(() => socket.destroy()))
    return
  }
  // what is written goes out: it may be all of a refusal
  if (current?.headersSent) return leave(socket)
  const [status, message] = refusals[error.code ?? ''] ?? [400, 'The request is no valid HTTP']
  const body = JSON.stringify({ message })
  const headers = ['Content-Type', 'application/json', ...commonHeaders(version), 'Content-Length', String(body.length), 'Connection', 'close']
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  leave(socket, `${head}\r\n${body}`)
}

function leave(socket: Duplex, last = ''): void {
  socket.end(last)
  // whoever goes on sending instead of closing would keep it open for ever
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
