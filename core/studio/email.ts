import { Problem } from '../xapi/problem.ts'

/** Enough to refuse what cannot be one; whether it is somebody's only a message to it would tell. */
const pattern =
  /^[^\s@"(),:;<>[\]\\]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u

/** An e-mail address as it is kept and compared: trimmed, in lower case. @throws Problem at `path` */
export function emailAddress(given: string, path = 'email'): string {
  const email = given.trim().normalize('NFC').toLowerCase()
  if (email === '') throw new Problem(path, 'must not be empty')
  if (email.length > 254 || !pattern.test(email) || /\p{Cc}/u.test(email))
    throw new Problem(path, 'must be an e-mail address, such as you@studio.example')
  return email
}

/** The mailbox of an address, as most servers see it: `ann+games@x.example` is that of `ann@x.example`. */
export const mailboxOf = (email: string): string => email.replace(/\+[^@]*(?=@)/, '')
