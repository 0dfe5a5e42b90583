import { randomBytes } from 'node:crypto'

const acceptable = /^[\w.-]{1,64}$/
const prefix = randomBytes(6).toString('base64url')
let made = 0

/** The client's X-Request-Id if it is 1 to 64 letters, digits, `.`, `_` or `-`; otherwise a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  if (typeof given === 'string' && acceptable.test(given)) return given
  made++
  return `${prefix}.${made.toString(36)}`
}
