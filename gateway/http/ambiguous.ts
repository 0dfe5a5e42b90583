import type { IncomingMessage } from 'node:http'
import { HttpRefusal, invalid } from './failure.ts'

/** Headers that may occur once. Node silently keeps the first; a proxy in front may have used the last. */
const single = ['host', 'authorization', 'content-type']

/**
 * Refuses requests that a proxy may read differently: a header twice, HTTP/1.1 without Host (RFC 9112 3.2), or a
 * transfer coding other than `chunked`, which Node does not decode (6.1).
 */
export function refuseAmbiguous({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') throw invalid('Host', 'this header is missing')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw new HttpRefusal(501, { message: 'Transfer-Encoding: must be chunked, or omitted', path: 'Transfer-Encoding' })
  for (const name of single) {
    let count = 0
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const other = rawHeaders[at]!
      if (other.length === name.length && other.toLowerCase() === name && ++count > 1)
        throw invalid(other, 'this header must be given only once')
    }
  }
}
