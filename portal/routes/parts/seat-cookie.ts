import { attributes, readCookie } from '../../web/session-cookie.ts'
import type { Visit } from '../../web/visit.ts'
import { isHttps } from './player.ts'

/** The token of this browser's seat in a lesson: until the browser is closed. */
const name = 'seat'

/** Empty: it has none. */
export const readSeat = (visit: Visit): string =>
  /^[\w-]{43}$/.exec(readCookie(visit.request, name, isHttps(visit)))?.[0] ?? ''

export function keepSeat(visit: Visit, token: string): void {
  visit.response.cookie(hosted(visit), token, attributes(isHttps(visit)))
}

export function forgetSeat(visit: Visit): void {
  visit.response.clearCookie(hosted(visit), attributes(isHttps(visit)))
}

const hosted = (visit: Visit): string => (isHttps(visit) ? `__Host-${name}` : name)
