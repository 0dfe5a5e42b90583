import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a browser shows at most: one mark for each of a few accounts. */
const mostShown = 8

/**
 * Marks of browsers that were signed in to an account before. Their failed attempts are counted apart, so that nobody else
 * can lock them out. A mark signs nobody in.
 * @param signingKeys those of launch tokens; what signs here is derived from them: the first one signs, all verify
 */
export function knownBrowsers(signingKeys: readonly Uint8Array[]) {
  const keys = signingKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'games-lrs known browser', 32)))
  const signatureOf = (key: Buffer, browser: string, email: string): Buffer => createHmac('sha256', key).update(`${browser} ${email}`).digest()

  return {
    /** What a browser keeps that signed in to the account. @param browser as it was known before */
    mark(email: string, browser = randomBytes(16).toString('base64url')): string {
      return `${browser}.${signatureOf(keys[0]!, browser, email).toString('base64url')}`
    },
    /** The browser, when one of the marks that it shows (with `~` between them) is of this account. */
    browserOf(shown: string, email: string): string | undefined {
      for (const mark of shown.split('~', mostShown)) {
        const [browser = '', signature = ''] = mark.split('.', 2)
        const given = Buffer.from(signature, 'base64url')
        if (keys.map((key) => signatureOf(key, browser, email)).some((own) => own.length === given.length && timingSafeEqual(own, given))) return browser
      }
      return undefined
    },
  }
}

export type KnownBrowsers = ReturnType<typeof knownBrowsers>
