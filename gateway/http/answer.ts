import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { hasBody } from './body.ts'
import { Refusal } from './failure.ts'
import type { Download, DownloadBudget } from '../load/download-budget.ts'
import { pieceBytes } from '../load/download-budget.ts'

/** What goes back to the client. */
export interface Answer {
  status: number
  /** Name, value, name, value … */
  headers?: readonly string[]
  /** Bytes in several parts are sent one after the other, without a copy of them all. */
  body?: string | Uint8Array | readonly Uint8Array[]
  /** A body that is sent as it comes; it has `size` bytes. When it throws, the connection ends. */
  stream?: AsyncIterable<Uint8Array>
  /** Bytes of the stream that are in memory until they are read. */
  held?: number
  /** Content-Length where `body` was left away (HEAD), or is a stream. */
  size?: number
  /** The entity tag of the body, in its quotes. */
  etag?: string
  /** The body may be sent in a content coding; `headers` say so by Vary. */
  compressible?: true
}

/** What the headers of every answer need to know. */
export interface ResponseFrame {
  version: string
  requestId: string
  /** The connection ends with this answer. */
  last: boolean
  /** Bytes of answers in memory that are being read. */
  downloads: DownloadBudget
}

/** Headers that scripts of other origins may read. */
const exposed = [
  'ETag',
  'Last-Modified',
  'X-Experience-API-Version',
  'X-Experience-API-Consistent-Through',
  'X-Request-Id',
  'WWW-Authenticate',
].join(', ')

/** How much of a body that nobody wants is read, so that its sender gets to see the answer. */
const drainBytes = 8 * 1024 * 1024
const smallBytes = 64 * 1024
const drainMs = 5000

/** JSON, with headers beside its Content-Type. */
export function json(body: Answer['body'], headers: readonly string[] = [], etag?: string): Answer {
  const all = ['Content-Type', 'application/json', 'Vary', 'Accept-Encoding', ...headers]
  return { status: 200, headers: all, body, etag, compressible: true }
}

/** The answer that a refusal is; `headers` are those that the action sends always. */
export function refusalAnswer(error: Refusal, headers: readonly string[] = []): Answer {
  return { status: error.status, headers: ['Content-Type', 'application/json', ...error.headers, ...headers], body: error.body }
}

/** The headers that stand on every answer, errors included. */
export function commonHeaders(version: string): string[] {
  return [
    'Access-Control-Allow-Origin', '*',
    'Access-Control-Expose-Headers', exposed,
    'X-Content-Type-Options', 'nosniff',
    'Cache-Control', 'no-store',
    'X-Experience-API-Version', version,
  ]
}

/**
 * Sends the answer; to HEAD without its body. Resolves when all of it has been given away, or the client has gone, with
 * the status that was sent: what cannot be given at the moment is 503.
 */
export async function send(request: IncomingMessage, response: ServerResponse, answer: Answer, frame: ResponseFrame): Promise<number> {
  const { status, body = '' } = answer
  const text = typeof body === 'string' ? body : undefined
  const parts: Uint8Array[] = text === undefined ? [body as Uint8Array | readonly Uint8Array[]].flat() : []
  const size = answer.size ?? (text === undefined ? parts.reduce((sum, { length }) => sum + length, 0) : Buffer.byteLength(text))
  const streams = answer.stream !== undefined && request.method !== 'HEAD'
  const isLong = text === undefined && size > pieceBytes
  let download: Download | undefined
  let pieces: AsyncIterable<Uint8Array> | undefined
  if (streams || isLong) {
    try {
      download = frame.downloads.begin(streams ? (answer.held ?? 0) : size, () => response.destroy())
      if (streams) pieces = await begun(answer.stream!)
    } catch (error) {
      download?.done()
      if (!(error instanceof Refusal)) throw error
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
    await pipeline(watched(pieces, download!), response).catch(() => response.destroy())
    download!.done()
    return status
  }
  const last = isLong ? undefined : (text ?? parts.pop())
  if (download !== undefined) await give(response, parts, download)
  else for (const part of parts) response.write(part)
  if (!unread) {
    response.end(last)
    return status
  }
  if (last !== undefined && last.length > 0) response.write(last)
  else response.flushHeaders()
  drain(request, response)
  return status
}

/** The same stream once its first piece is there: until then it can still be refused in words. */
async function begun(stream: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const source = stream[Symbol.asyncIterator]()
  let next = await source.next()
  return (async function* () {
    try {
      for (; !next.done; next = await source.next()) yield next.value
    } finally {
      await source.return?.()
    }
  })()
}

async function* watched(stream: AsyncIterable<Uint8Array>, download: Download): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    download.pieceSent()
    yield chunk
    download.pieceTaken()
  }
}

/** Gives a long body away as fast as the client takes it. Resolves when it has all, or has gone. */
async function give(response: ServerResponse, parts: readonly Uint8Array[], download: Download): Promise<void> {
  for (const part of parts) {
    for (let at = 0; at < part.length && !response.destroyed; at += pieceBytes) {
      const piece = part.subarray(at, at + pieceBytes)
      download.pieceSent()
      await new Promise<void>((resolve) => {
        const taken = (): void => {
          response.off('close', taken)
          resolve()
        }
        response.once('close', taken)
        response.write(piece, taken)
      })
      download.pieceTaken()
    }
  }
  download.done()
}

/** A body that nobody wants, but so short that reading over it costs less than a new connection. */
function isSmall({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= smallBytes
}

/** Reads on for a while before the connection is closed: a reset would take the answer from a client that still sends. */
function drain(request: IncomingMessage, response: ServerResponse): void {
  let left = drainBytes
  const end = (): void => {
    clearTimeout(timer)
    request.off('data', take).off('end', end).off('close', end)
    response.end()
  }
  const take = (chunk: Buffer): void => {
    left -= chunk.length
    if (left < 0) end()
  }
  const timer = setTimeout(end, drainMs)
  request.on('data', take).on('end', end).on('close', end).resume()
}
