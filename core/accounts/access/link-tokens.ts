import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/**
 * The secret part of links in mails: the link's id with a signature. The database keeps the id only, so neither a copy
 * of it nor the queue of mails has a link that works.
 * @param signingKeys the keys of launch tokens; keys of links are derived from them: the first one signs, all verify
 */
export function linkTokens(signingKeys: readonly Uint8Array[]) {
  const keys = signingKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'games-lrs mail link', 32)))
  const signatureOf = (key: Buffer, id: Buffer): Buffer => createHmac('sha256', key).update(id).digest()

  return {
    /** @param link UUID */
    tokenOf(link: string): string {
      const id = Buffer.from(link.replaceAll('-', ''), 'hex')
      return Buffer.concat([id, signatureOf(keys[0]!, id)]).toString('base64url')
    },
    /** The link's UUID; undefined: nobody of ours has made this token. */
    linkOf(token: string): string | undefined {
      if (!/^[\w-]{64}$/.test(token)) return undefined
      const bytes = Buffer.from(token, 'base64url')
      const [id, given] = [bytes.subarray(0, 16), bytes.subarray(16)]
      if (!keys.some((key) => timingSafeEqual(signatureOf(key, id), given))) return undefined
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}

export type LinkTokens = ReturnType<typeof linkTokens>
