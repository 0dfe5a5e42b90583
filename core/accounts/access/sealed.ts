import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { Refusal } from '../../process/refusal.ts'

const version = 1
const markBytes = 4
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + markBytes + nonceBytes

/**
 * Where a sealed value is kept: table, column and row. The value opens nowhere else, so an attacker who can write to
 * the database cannot move it to another row.
 */
export interface SealedPlace {
  readonly table: string
  readonly column: string
  /** The key of the row; it never changes. */
  readonly row: string | number
}

/** No key opens a value in its place. */
export class SealError extends Error {
  override name = 'SealError'
}

/**
 * Seals secrets that have to be read again, such as those of one-time codes, with AES-256-GCM. A sealed value is a
 * version, a mark of the key, a nonce, the encrypted bytes and the tag.
 * @param secretKeys of LRS_SECRET_KEYS, 32 bytes or more each: the first one seals, all open; none: nothing is sealed
 */
export function sealer(secretKeys: readonly Uint8Array[]) {
  const keys = secretKeys.map((secret) => {
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'games-lrs sealed value', 32))
    return { key, mark: createHash('sha256').update(key).digest().subarray(0, markBytes) }
  })
  const markOf = (sealed: Uint8Array): Uint8Array => sealed.subarray(1, 1 + markBytes)
  return {
    /** Whether there is a key. */
    canSeal: keys.length > 0,
    /** @throws Refusal 'conflict' without a key */
    seal(place: SealedPlace, plain: string): Buffer {
      const [first] = keys
      if (!first)
        throw new Refusal(
          'conflict',
          'This server cannot keep such a secret yet: its operator has to set LRS_SECRET_KEYS.',
        )
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce, { authTagLength: tagBytes })
      cipher.setAAD(nameOf(place))
      const encrypted = [cipher.update(plain, 'utf8'), cipher.final()]
      return Buffer.concat([Uint8Array.of(version), first.mark, nonce, ...encrypted, cipher.getAuthTag()])
    },
    /** @throws SealError when no key opens the value in this place */
    open(place: SealedPlace, sealed: Uint8Array): string {
      const found = keys.filter(({ mark }) => mark.equals(markOf(sealed)))
      if (sealed[0] !== version || sealed.length < headBytes + tagBytes || found.length === 0) throw cannotOpen(place)
      for (const { key } of found) {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1 + markBytes, headBytes), {
          authTagLength: tagBytes,
        })
        decipher.setAAD(nameOf(place))
        decipher.setAuthTag(sealed.subarray(-tagBytes))
        try {
          return Buffer.concat([decipher.update(sealed.subarray(headBytes, -tagBytes)), decipher.final()]).toString()
        } catch {
          // another key with the same mark, or none
        }
      }
      throw cannotOpen(place)
    },
    /** Whether the first key has sealed the value. */
    isOfFirst: (sealed: Uint8Array): boolean => keys[0]?.mark.equals(markOf(sealed)) ?? false,
  }
}

export type Sealer = ReturnType<typeof sealer>

const nameOf = ({ table, column, row }: SealedPlace): Buffer => Buffer.from(JSON.stringify([table, column, `${row}`]))

const cannotOpen = ({ table, column, row }: SealedPlace): SealError =>
  new SealError(`No key of LRS_SECRET_KEYS opens ${table}.${column} of row ${row}.`)
