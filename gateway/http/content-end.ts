import { createHash } from 'node:crypto'

/** Algorithms by the length of their hashes in hexadecimal digits. */
const algorithms: Readonly<Record<number, string>> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' }
/** Boundaries without CRLF that are checked in one request: each check costs a few µs. */
const maxChecks = 1000

/**
 * Finds the end of an attachment whose boundary has no CRLF before it, as @xapi/xapi and xAPIWrapper send it. The
 * attachment ends there if the bytes so far have the hash that its part declares. Otherwise the boundary is part of the
 * content, as RFC 2046 requires.
 */
export function contentEnds(boundary: string) {
  const mark = Buffer.from(`--${boundary}`)
  let checksLeft = maxChecks
  let content: { readonly digest: ReturnType<typeof createHash>; readonly hash: string } | undefined
  /** How many of the next bytes are already in the digest. */
  let ahead = 0

  function digestTo(end: number, bytes: Buffer): void {
    content?.digest.update(bytes.subarray(ahead, end))
    ahead = end
  }

  return {
    /** An attachment begins. Without its hash, no end is looked for. */
    begin(hash = ''): void {
      const algorithm = algorithms[hash.length]
      content = algorithm === undefined ? undefined : { digest: createHash(algorithm), hash: hash.toLowerCase() }
      ahead = 0
    },
    /** Offset of the end in the next bytes; below 0: there is none up to `limit`. */
    find(bytes: Buffer, limit: number): number {
      if (!content) return -1
      for (
        let at = bytes.indexOf(mark, ahead);
        at >= 0 && at <= limit && checksLeft > 0;
        at = bytes.indexOf(mark, ahead)
      ) {
        checksLeft--
        digestTo(at, bytes)
        if (content.digest.copy().digest('hex') === content.hash) return at
        digestTo(at + 1, bytes)
      }
      if (checksLeft === 0) content = undefined
      return -1
    },
    /** Takes these bytes as content. */
    pass(bytes: Buffer): void {
      if (bytes.length > ahead) digestTo(bytes.length, bytes)
      ahead -= bytes.length
    },
  }
}
