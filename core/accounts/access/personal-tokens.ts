import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Programs that look for secrets in code find tokens by this beginning. */
export const tokenPrefix = 'lrspt_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 32 bytes, and the CRC-32 of them, in base 62. */
const [randomLength, sumLength] = [43, 6] as const
const form = new RegExp(`^${tokenPrefix}[0-9A-Za-z]{${randomLength + sumLength}}$`)

/** A personal token of 256 random bits, to be shown once. */
export function newPersonalToken(): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength)
  return tokenPrefix + random + sumOf(random)
}

/** Whether it may be a token of ours: what was cut or mistyped is refused without the database. */
export function isPersonalToken(text: string): boolean {
  if (!form.test(text)) return false
  const random = text.slice(tokenPrefix.length, -sumLength)
  return text.endsWith(sumOf(random))
}

/** The personal token of an Authorization header; undefined: it has none. */
export const personalTokenIn = (authorization: string): string | undefined =>
  /^bearer (lrspt_[^ ]*)$/i.exec(authorization)?.[1]

const sumOf = (random: string): string => base62(BigInt(crc32(random)), sumLength)

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text
}
