import { createHash } from 'node:crypto'

/** Algorithms by the length of their hashes in hexadecimal digits. */
const algorithms: Readonly<Record<number, string>> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' }
/** Boundaries without CRLF that are looked at in one request: each look costs a few µs. */
const mostLooks = 1000

/**
 * Finds ends of contents where CRLF is missing before the boundary, as @xapi/xapi and xAPIWrapper send them. A content
 * ends there if the bytes so far have the hash that it came with: then nothing else can be meant. Else they stay
 * content, as RFC 2046 has it.
 */
export function contentEnds(boundary: string) {
  const mark = Buffer.from(`--${boundary}`)
  let looks = mostLooks
  let content: { readonly digest: ReturnType<typeof createHash>; readonly hash: string } | undefined
  /** Bytes of those that come next that are in the digest already. */
  let ahead = 0

  function digestTo(end: number, bytes: Buffer): void {
    content?.digest.update(bytes.subarray(ahead, end))
    ahead = end
  }

  return {
    /** A content begins. Without its hash nothing is looked for. */
    begin(hash = ''): void {
      const algorithm = algorithms[hash.length]
      content = algorithm === undefined ? undefined : { digest: createHash(algorithm), hash: hash.toLowerCase() }
      ahead = 0
    },
    /** Where the content ends in the bytes that come next; below 0: not up to `limit`. */
    find(bytes: Buffer, limit: number): number {
      if (!content) return -1
      for (let at = bytes.indexOf(mark, ahead); at >= 0 && at <= limit && looks > 0; at = bytes.indexOf(mark, ahead)) {
        looks--
        digestTo(at, bytes)
        if (content.digest.copy().digest('hex') === content.hash) return at
        digestTo(at + 1, bytes)
      }
      if (looks === 0) content = undefined
      return -1
    },
    /** These bytes are content. */
    pass(bytes: Buffer): void {
      if (bytes.length > ahead) digestTo(bytes.length, bytes)
      ahead -= bytes.length
    },
  }
}
