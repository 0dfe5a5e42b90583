import { randomBytes } from 'node:crypto'
import { hashSecret } from '../../process/secret.ts'

/** Digits and letters that are told apart on paper and when read aloud: without I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const length = 16

/** The code of an invitation: 80 random bits, short enough to be typed. */
export const newInvitationCode = (): string =>
  Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('')

/** The stored form of a code, as people type it. Codes of before had 43 characters and stay as they are. */
export function hashInvitation(code: string): Buffer {
  const typed = code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return hashSecret(typed.length === length ? typed : code)
}
