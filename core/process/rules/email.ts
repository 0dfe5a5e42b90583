import { Problem } from '../problem.ts'
import { numberOf } from './hidden.ts'
import { say } from '../../../shared/say.ts'

/** Enough to refuse what cannot be one; whether it is somebody's only a message to it would tell. */
const pattern =
  /^[^\s@"(),:;<>[\]\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u

/** An e-mail address as it is compared: trimmed, in lower case. For those that are kept already. */
export const keptAddress = (given: string): string =>
  given.replaceAll('\0', '\ufffd').trim().normalize('NFC').toLowerCase()

/**
 * A new e-mail address, as it is kept. It has no invisible characters and no other forms of usual ones, such as ＠: with
 * these it would look like the address of another person. @throws Problem at `path`
 */
export function emailAddress(given: string, path = 'email'): string {
  const email = keptAddress(given)
  if (email === '') throw new Problem(path, 'must not be empty')
  const hidden = numberOf(email)
  if (hidden !== undefined) throw new Problem(path, say`must not hold invisible characters, such as ${hidden}`)
  if (email.normalize('NFKC') !== email) throw new Problem(path, 'must be written with usual letters and signs')
  if (email.length > 254 || !pattern.test(email) || /\p{Cc}/u.test(email))
    throw new Problem(path, 'must be an e-mail address, such as you@studio.example')
  return email
}

/** The mailbox of an address, as most servers see it: `ann+games@x.example` is that of `ann@x.example`. */
export const mailboxOf = (email: string): string => email.replace(/\+[^@]*(?=@)/, '')
