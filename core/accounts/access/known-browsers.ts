import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Most marks that are read of a browser; it has one for each account. */
const mostShown = 8

/**
 * Marks of browsers that have signed in to an account before. Failed attempts from such a browser have a limit of their
 * own, so failed attempts of others cannot lock it out. A mark signs nobody in.
 * @param signingKeys the keys of launch tokens; keys of marks are derived from them: the first one signs, all verify
 */
export function knownBrowsers(signingKeys: readonly Uint8Array[]) {
  const keys = signingKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'games-lrs known browser', 32)))
  const signatureOf = (key: Buffer, browser: string, email: string): Buffer =>
    createHmac('sha256', key).update(`${browser} ${email}`).digest()

  return {
    /** Makes the mark for a browser that has signed in to the account. @param browser its id in an earlier mark */
    mark(email: string, browser = randomBytes(16).toString('base64url')): string {
      return `${browser}.${signatureOf(keys[0]!, browser, email).toString('base64url')}`
    },
    /** The browser's id, when one of its marks (joined by `~`) is of this account. */
    browserOf(shown: string, email: string): string | undefined {
      for (const mark of shown.split('~', mostShown)) {
        const [browser = '', signature = ''] = mark.split('.', 2)
        const given = Buffer.from(signature, 'base64url')
        if (
          keys
            .map((key) => signatureOf(key, browser, email))
            .some((own) => own.length === given.length && timingSafeEqual(own, given))
        )
          return browser
      }
      return undefined
    },
  }
}

export type KnownBrowsers = ReturnType<typeof knownBrowsers>
