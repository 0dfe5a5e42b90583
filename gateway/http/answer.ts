import type { HttpRefusal } from './failure.ts'

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

/** Headers that scripts on other origins may read. */
const exposed = [
  'ETag',
  'Last-Modified',
  'X-Experience-API-Version',
  'X-Experience-API-Consistent-Through',
  'X-Request-Id',
  'WWW-Authenticate',
].join(', ')

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
