import type { IncomingMessage } from 'node:http'

/**
 * What of a request a proxy in front may have read in another way; undefined: nothing. Of two Hosts, Node keeps the first
 * (RFC 9112 3.2). It reads the last transfer coding and decodes no other one (6.1).
 */
export function ambiguityOf({ headers, headersDistinct }: IncomingMessage): string | undefined {
  if ((headersDistinct.host?.length ?? 0) > 1) return 'more than one Host'
  const coding = headers['transfer-encoding']?.toLowerCase()
  return coding === undefined || coding === 'chunked' ? undefined : 'a Transfer-Encoding other than chunked'
}
