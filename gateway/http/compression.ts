import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Answer } from './answer.ts'
import { codedTag } from './conditions.ts'

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
