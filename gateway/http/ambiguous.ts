import type { IncomingMessage } from 'node:http'
import { invalid } from './failure.ts'

/** Headers that stand once; Node keeps the first and says nothing of others, which a proxy before us may have gone by. */
const single = ['host', 'authorization', 'content-type']

/** Refuses what different readers would understand differently: a header twice, and no Host in HTTP/1.1 (RFC 9112 3.2). */
export function refuseAmbiguous({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') throw invalid('Host', 'this header is missing')
  for (const name of single) {
    let count = 0
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const other = rawHeaders[at]!
      if (other.length === name.length && other.toLowerCase() === name && ++count > 1) throw invalid(other, 'this header must stand only once')
    }
  }
}
