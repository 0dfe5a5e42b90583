import { randomBytes } from 'node:crypto'
import { readCookie, setShortCookie } from '../../web/session-cookie.ts'
import { isSecure, type Visit } from '../../web/visit.ts'

/** What a browser keeps between the two steps of a sign-in, or until its passkey has answered. */
const name = 'attempt'
const milliseconds = 10 * 60 * 1000

export function readAttempt({ request, at }: Visit): string {
  const value = readCookie(request, name, isSecure(at))
  return /^[\w.-]{1,1500}$/.test(value) ? value : ''
}

export const keepAttempt = ({ response, at }: Visit, value: string): void =>
  setShortCookie(response, name, isSecure(at), value, milliseconds)

/** A secret to which core binds the challenge of a passkey. */
export const newBinding = (): string => randomBytes(24).toString('base64url')
