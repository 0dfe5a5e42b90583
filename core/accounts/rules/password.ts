import { Problem } from '../../process/problem.ts'
import { isCommon } from './common-passwords.ts'

const shortest = 10
const mostBytes = 1024

/** Checks a new password: its length, not its characters, and that few others have it (NIST SP 800-63B 3.1.1). @throws Problem at `path` */
export function requireUsable(password: string, email: string, path = 'password'): void {
  if (Array.from(password).length < shortest) throw new Problem(path, `must have ${shortest} characters or more`)
  if (Buffer.byteLength(password) > mostBytes) throw new Problem(path, `must have ${mostBytes} bytes at most`)
  const lower = password.toLowerCase()
  if (lower === email || /^(.)\1*$/su.test(password))
    throw new Problem(path, 'must not be the e-mail address, nor one character again and again')
  if (isCommon(password))
    throw new Problem(
      path,
      'is one of the most common passwords, or one with digits or signs after it: take another one',
    )
}
