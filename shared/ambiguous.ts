import type { IncomingMessage } from 'node:http'

/** A header that a proxy in front may have read in another way. */
export interface Ambiguity {
  readonly status: 400 | 501
  readonly path: string
  readonly message: string
}

/** Headers that may occur once. Node silently keeps the first; a proxy in front may have used the last. */
const single = ['host', 'authorization', 'content-type']

/**
 * What of a request a proxy may read differently: a header twice, HTTP/1.1 without Host (RFC 9112 3.2), or a transfer
 * coding other than `chunked` (6.1): Node reads the last coding and decodes no other one.
 */
export function ambiguityOf({ headers, rawHeaders, httpVersion }: IncomingMessage): Ambiguity | undefined {
  if (headers.host === undefined && httpVersion === '1.1') return of(400, 'Host', 'this header is missing')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return of(501, 'Transfer-Encoding', 'must be chunked, or omitted')
  for (const name of single) {
    let count = 0
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const other = rawHeaders[at]!
      if (other.length === name.length && other.toLowerCase() === name && ++count > 1)
        return of(400, other, 'this header must be given only once')
    }
  }
  return undefined
}

const of = (status: 400 | 501, path: string, what: string): Ambiguity => ({ status, path, message: `${path}: ${what}` })
