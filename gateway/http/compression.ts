import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Answer } from './answer.ts'
import { codedTag } from './conditions.ts'

type Coding = 'br' | 'gzip'

/** Below, a packet is saved at best. */
const leastBytes = 1024
/** The threads that compress are those that resolve names; who finds no room gets the body as it is. */
const mostAtOnce = 2

const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_SIZE_HINT: hint } = constants
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]
/** The better first: brotli takes half the time of gzip for as few bytes. Higher levels cost more than they save. */
const codings: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => brotli(body, { params: { [quality]: 1, [window]: 18, [hint]: body.length } }),
  gzip: (body) => zip(body, { level: 1 }),
}

export type Compress = (answer: Answer, request: IncomingMessage) => Promise<Answer>

/** Compresses bodies where the client asks for it and that is cheaper than sending them (docs/performance.md). */
export function createCompressor(): Compress {
  let busy = 0
  return async (answer, request) => {
    const { compressible, body = '', headers = [], etag } = answer
    if (!compressible) return answer
    const parts = typeof body === 'string' ? [Buffer.from(body)] : [body].flat()
    const size = parts.reduce((sum, { length }) => sum + length, 0)
    if (size <= leastBytes || busy === mostAtOnce) return answer
    const name = codingFor(request.headers['accept-encoding'])
    if (name === undefined || isHere(request)) return answer
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

/** The coding that Accept-Encoding asks for by name, with the greatest weight (RFC 9110 12.5.3). */
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

/** Whether the client is on this machine, where sending costs less than compressing, and no proxy for somebody else. */
function isHere({ socket, headers }: IncomingMessage): boolean {
  const forwarded = headers['x-forwarded-for'] ?? headers.forwarded ?? headers.via
  return forwarded === undefined && socket.remoteAddress === socket.localAddress
}
