import { hash, randomBytes } from 'node:crypto'

/** Seconds for which an authenticator app shows a code (RFC 6238). */
const period = 30
/** Codes of the step before and the step after count too: clocks differ, and people take time. */
const window = 1
const issuer = 'Games LRS'
/** 80 bits: nobody can guess them, so a plain SHA-256 is enough. */
const recoveryBytes = 10
const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** An authenticator app's part of an account, with the library, which few processes need. */
async function totpOf(secret: string, email: string) {
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({ issuer, label: email, secret: Secret.fromBase32(secret), period })
}

/** A secret of 160 bits in base32, as people type it. */
export const newTotpSecret = (): string => base32(randomBytes(20)).toUpperCase()

/** The address that the QR code holds. */
export const totpAddress = async (secret: string, email: string): Promise<string> =>
  (await totpOf(secret, email)).toString()

/** The time step of a code; undefined: it is wrong. @param at milliseconds */
export async function stepOf(secret: string, code: string, at: number): Promise<number | undefined> {
  const token = code.replaceAll(/[\s-]/g, '')
  if (!/^\d{6}$/.test(token)) return undefined
  const delta = (await totpOf(secret, '')).validate({ token, timestamp: at, window })
  return delta === null ? undefined : Math.floor(at / 1000 / period) + delta
}

/** Ten codes for those who have lost their factor, such as `kq3v-72mx-p5ad-ohe4`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: 10 }, () => base32(randomBytes(recoveryBytes)).replaceAll(/.{4}(?=.)/g, '$&-'))

/** The stored form of a recovery code; undefined: what was typed is none. */
export function hashRecoveryCode(accountId: string, typed: string): Buffer | undefined {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[a-z2-7]{16}$/.test(code) ? hash('sha256', `${accountId} ${code}`, 'buffer') : undefined
}

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => letters[Number.parseInt(five, 2)]!)
}
