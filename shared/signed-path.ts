import { createHmac, timingSafeEqual } from 'node:crypto'

/*
 * The signed path of files that are not public: `/s/<id>.<end>.<signature>`, before the path of the file. It is in the
 * path, so that the relative addresses of a game keep it. Core signs it; the player checks it without a call to core.
 */

export interface SignedPath {
  /** UUID of the session, or of the build if it is a download for people who make or review games. */
  readonly id: string
  readonly buildId: string
  /** Seconds since 1970. */
  readonly expires: number
}

const signatureOf = (key: Uint8Array, { id, buildId, expires }: SignedPath): Buffer =>
  createHmac('sha256', key).update(`files ${id} ${buildId} ${expires}`).digest()

export const signedPath = (key: Uint8Array, of: SignedPath): string =>
  `/s/${of.id}.${of.expires}.${signatureOf(key, of).toString('base64url')}`

/** The last character of 32 bytes has 16 values: another one would be a second spelling of the same bytes. */
const pattern = /^([0-9a-f-]{36})\.(\d{1,12})\.([\w-]{42}[AEIMQUYcgkosw048])$/

/** Id and end in the segment after `/s/`, if one of the keys has signed it for this build; undefined: none has. */
export function signedIn(keys: readonly Uint8Array[], part: string, buildId: string): SignedPath | undefined {
  const [, id, end, given] = pattern.exec(part) ?? []
  if (id === undefined) return undefined
  const of = { id, buildId, expires: Number(end) }
  const signature = Buffer.from(given!, 'base64url')
  return keys.some((key) => timingSafeEqual(signatureOf(key, of), signature)) ? of : undefined
}
