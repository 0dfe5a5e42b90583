import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { hasBody } from './body.ts'
import type { Drain } from './drain.ts'
import { HttpRefusal } from './failure.ts'
import { timed, withFirstPiece, writePieces } from './long-answer.ts'
import type { Download, DownloadBudget } from '../load/download-budget.ts'
import { pieceBytes } from '../load/download-budget.ts'

/** The response to a request, before it is sent. */
export interface Answer {
  status: number
  /** Name, value, name, value … */
  headers?: readonly string[]
  /** Several parts are sent one after the other, without copying them into one. */
  body?: string | Uint8Array | readonly Uint8Array[]
  /** A body of `size` bytes that is sent as it arrives. If it throws, the connection is closed. */
  stream?: AsyncIterable<Uint8Array>
  /** Bytes of the stream that stay in memory until they are sent. */
  held?: number
  /** Content-Length when `body` is omitted (HEAD) or is a stream. */
  size?: number
  /** The entity tag of the body, in its quotes. */
  etag?: string
  /** The body may be compressed; `headers` contain Vary. */
  compressible?: true
}

/** The parts that all answers have in common: headers, and how an answer is sent. */
export interface ResponseFrame {
  version: string
  requestId: string
  /** The connection is closed after this answer. */
  last: boolean
  /** Limits the memory of answers that clients are reading. */
  downloads: DownloadBudget
  /** Reads what the client still sends. */
  drain: Drain
}

/** Headers that scripts on other origins may read. */
const exposed = [
  'ETag',
  'Last-Modified',
  'X-Experience-API-Version',
  'X-Experience-API-Consistent-Through',
  'X-Request-Id',
  'WWW-Authenticate',
].join(', ')

/** A shorter unwanted body is skipped. */
const smallBytes = 64 * 1024

/** An answer in JSON; `headers` come after its Content-Type. */
export function json(body: Answer['body'], headers: readonly string[] = [], etag?: string): Answer {
  const all = ['Content-Type', 'application/json', 'Vary', 'Accept-Encoding', ...headers]
  return { status: 200, headers: all, body, etag, compressible: true }
}

/** The answer to a refused request; `headers` are those that the action sends with every answer. */
export function refusalAnswer(error: HttpRefusal, headers: readonly string[] = []): Answer {
  return {
    status: error.status,
    headers: ['Content-Type', 'application/json', ...error.headers, ...headers],
    body: error.body,
  }
}

/** The headers of every answer, errors included. */
export function commonHeaders(version: string): string[] {
  return [
    'Access-Control-Allow-Origin',
    '*',
    'Access-Control-Expose-Headers',
    exposed,
    'X-Content-Type-Options',
    'nosniff',
    'Cache-Control',
    'no-store',
    'X-Experience-API-Version',
    version,
  ]
}

/**
 * Sends the answer, without its body for HEAD. Resolves with the status that was sent when the body is written or the
 * client has disconnected. An answer for which there is no room in memory becomes 503.
 */
export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  frame: ResponseFrame,
): Promise<number> {
  const { status, body = '' } = answer
  const text = typeof body === 'string' ? body : undefined
  const parts: Uint8Array[] = text === undefined ? [body as Uint8Array | readonly Uint8Array[]].flat() : []
  const size =
    answer.size ?? (text === undefined ? parts.reduce((sum, { length }) => sum + length, 0) : Buffer.byteLength(text))
  const streams = answer.stream !== undefined && request.method !== 'HEAD'
  const isLong = text === undefined && size > pieceBytes
  let download: Download | undefined
  let pieces: AsyncIterable<Uint8Array> | undefined
  if (streams || isLong) {
    try {
      download = frame.downloads.begin(streams ? (answer.held ?? 0) : size, () => response.destroy())
      if (streams) pieces = await withFirstPiece(answer.stream!)
    } catch (error) {
      download?.done()
      if (!(error instanceof HttpRefusal)) throw error
      return send(request, response, refusalAnswer(error), frame)
    }
  }
  const headers = commonHeaders(frame.version)
  headers.push('X-Request-Id', frame.requestId)
  if (answer.headers !== undefined) headers.push(...answer.headers)
  if (answer.etag !== undefined) headers.push('ETag', answer.etag)
  if (status !== 204 && status !== 304) headers.push('Content-Length', String(size))
  const unread = !request.complete && hasBody(request) && !isSmall(request)
  if (frame.last || unread) headers.push('Connection', 'close')
  response.writeHead(status, headers)
  if (pieces !== undefined) {
    await pipeline(timed(pieces, download!), response).catch(() => response.destroy())
    download!.done()
    return status
  }
  const last = isLong ? undefined : (text ?? parts.pop())
  if (download !== undefined) await writePieces(response, parts, download)
  else for (const part of parts) response.write(part)
  if (!unread) {
    response.end(last)
    return status
  }
  if (last !== undefined && last.length > 0) response.write(last)
  else response.flushHeaders()
  frame.drain(request, response)
  return status
}

/** Whether the unwanted body is so short that skipping it costs less than a new connection. */
function isSmall({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= smallBytes
}
