import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal, type HttpRefusal } from './failure.ts'
import { secondsOf } from './time.ts'

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
  'Date',
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

/** One entity tag of a list; some clients leave out the quotes. */
const tags = /(W\/)?(?:"([^"]*)"|([^\s",]+))/g
/** Suffix of the entity tag of a compressed body. */
const codingSuffix = /-(?:br|gzip)$/

/** The entity tag of a body: strong, because it is a hash of the bytes. */
export function etagOf(body: Uint8Array | string): string {
  return `"${hash('sha1', body)}"`
}

/** The tag of the compressed body: its bytes differ, so its strong tag must differ (RFC 9110 8.8.3.3). */
export function codedTag(etag: string, coding: 'br' | 'gzip'): string {
  return `${etag.slice(0, -1)}-${coding}"`
}

/**
 * Applies If-Match, If-Unmodified-Since and If-None-Match of a GET or HEAD, in the order of RFC 9110 13.2.2: 304 when the
 * client already has the body, compressed or not. Throws an HttpRefusal: 412 when one of the first two does not hold.
 */
export function conditioned(answer: Answer, headers: IncomingMessage['headers']): Answer {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
  const { etag, status, headers: own = [] } = answer
  // a document that was put has its new ETag
  if (etag === undefined || status !== 200) return answer
  if (ifMatch !== undefined && named(ifMatch, etag, 'strong') === undefined) {
    const message = `If-Match: names another version; the current ETag is ${etag}`
    throw refusal(Reason.PRECONDITION_FAILED, message, 'If-Match')
  }
  const unmodifiedSince = ifMatch === undefined ? secondsOf(headers['if-unmodified-since']) : 0
  if (unmodifiedSince > 0 && secondsOf(own[own.indexOf('Last-Modified') + 1]) > unmodifiedSince)
    throw refusal(Reason.PRECONDITION_FAILED, 'If-Unmodified-Since: it was modified later', 'If-Unmodified-Since')
  const held = ifNoneMatch === undefined ? undefined : named(ifNoneMatch, etag, 'weak')
  return held === undefined ? answer : { status: 304, headers: withoutContent(own), etag: held }
}

/** The tag in the header that matches the answer (`*` matches any). A strong comparison ignores weak tags. */
function named(header: string, etag: string, comparison: 'strong' | 'weak'): string | undefined {
  if (header.trim() === '*') return etag
  const isWeak = etag.startsWith('W/')
  if (isWeak && comparison === 'strong') return undefined
  const current = etag.slice(isWeak ? 3 : 1, -1)
  for (const [, weak, quoted, bare] of header.matchAll(tags)) {
    const tag = quoted ?? bare!
    if (tag.replace(codingSuffix, '') !== current || (weak !== undefined && comparison === 'strong')) continue
    return isWeak ? etag : `"${tag}"`
  }
  return undefined
}

/** The headers without those that describe a body. */
function withoutContent(headers: readonly string[]): string[] {
  return headers.filter((_, at) => !/^content-/i.test(headers[at - (at % 2)]!))
}

type Coding = 'br' | 'gzip'

/** Below this size, compression saves one packet at most. */
const leastBytes = 1024
/** Compression shares libuv's threads with DNS lookups. Beyond this number, bodies are sent uncompressed. */
const maxAtOnce = 2

const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_SIZE_HINT: hint } = constants
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]
/** Preferred first: brotli takes half the time of gzip for the same size. Higher levels cost more than they save. */
const codings: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => brotli(body, { params: { [quality]: 1, [window]: 18, [hint]: body.length } }),
  gzip: (body) => zip(body, { level: 1 }),
}

export type Compress = (answer: Answer, request: IncomingMessage) => Promise<Answer>

/** Compresses bodies if the client accepts it and compressing is cheaper than sending (docs/performance.md). */
export function createCompressor(): Compress {
  let busy = 0
  return async (answer, request) => {
    const { compressible, body = '', headers = [], etag } = answer
    if (!compressible) return answer
    const parts = typeof body === 'string' ? [Buffer.from(body)] : [body].flat()
    const size = parts.reduce((sum, { length }) => sum + length, 0)
    if (size <= leastBytes || busy === maxAtOnce) return answer
    const name = codingFor(request.headers['accept-encoding'])
    if (name === undefined || isLocal(request)) return answer
    busy++
    try {
      const coded = await codings[name](Buffer.concat(parts, size))
      const all = [...headers, 'Content-Encoding', name]
      return { ...answer, body: coded, headers: all, etag: etag && codedTag(etag, name) }
    } finally {
      busy--
    }
  }
}

/** The coding that Accept-Encoding names with the greatest weight (RFC 9110 12.5.3). */
export function codingFor(header = ''): Coding | undefined {
  let best: Coding | undefined
  let most = 0
  for (const one of header.toLowerCase().split(',')) {
    const [name = '', weight = ''] = one.split(';', 2).map((part) => part.trim())
    if (!Object.hasOwn(codings, name)) continue
    const q = weight === '' ? 1 : Number(/^q=([01](?:\.\d{0,3})?)$/.exec(weight)?.[1] ?? 0)
    if (q < most || q === 0 || (q === most && best === 'br')) continue
    best = name as Coding
    most = q
  }
  return best
}

/** Whether the client is on this machine and no proxy: then sending costs less than compressing. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const forwarded = headers['x-forwarded-for'] ?? headers.forwarded ?? headers.via
  return forwarded === undefined && socket.remoteAddress === socket.localAddress
}
