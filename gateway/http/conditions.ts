import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { Answer } from './answer.ts'
import { refusal } from './failure.ts'

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
 * Applies If-Match and If-None-Match of a GET or HEAD, in the order of RFC 9110 13.2.2: 304 when the client already has
 * the body, compressed or not. Throws an HttpRefusal: 412 when If-Match names another version.
 */
export function conditioned(answer: Answer, headers: IncomingMessage['headers']): Answer {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
  const { etag } = answer
  if (etag === undefined) return answer
  if (ifMatch !== undefined && named(ifMatch, etag, 'strong') === undefined) {
    const message = `If-Match: names another version; the current ETag is ${etag}`
    throw refusal(Reason.PRECONDITION_FAILED, message, 'If-Match')
  }
  const held = ifNoneMatch === undefined ? undefined : named(ifNoneMatch, etag, 'weak')
  return held === undefined ? answer : { status: 304, headers: withoutContent(answer.headers), etag: held }
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
function withoutContent(headers: readonly string[] = []): string[] {
  return headers.filter((_, at) => !/^content-/i.test(headers[at - (at % 2)]!))
}
