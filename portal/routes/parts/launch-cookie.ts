import { hash, timingSafeEqual } from 'node:crypto'
import { lti as limits } from '../../../shared/limits.ts'
import { readCookie } from '../../web/session-cookie.ts'
import type { Visit } from '../../web/visit.ts'
import { isHttps } from './player.ts'

/** Shows that this browser began the login with this state. It has to come in frames of others, too. */
const nameOf = (state: string): string => `lti-${hash('sha256', state).slice(0, 16)}`

/** Browsers send it in frames over https and on the own machine only, and each site around has its own. */
const attributesOf = (visit: Visit) =>
  isHttps(visit) || /^http:\/\/(localhost|127\.0\.0\.1)(:|$)/.test(visit.at.portal)
    ? ({ httpOnly: true, path: '/', secure: true, sameSite: 'none', partitioned: true } as const)
    : ({ httpOnly: true, path: '/', sameSite: 'lax' } as const)

export function keepState(visit: Visit, state: string): void {
  const of = { ...attributesOf(visit), maxAge: limits.loginMinutes * 60_000 }
  visit.response.cookie(hosted(visit, state), state, of)
}

/** Whether the browser has the state; it forgets it. */
export function takeState(visit: Visit, state: string): boolean {
  const kept = readCookie(visit.request, nameOf(state), isHttps(visit))
  if (kept !== '') visit.response.clearCookie(hosted(visit, state), attributesOf(visit))
  return isSame(kept, state)
}

export const isSame = (kept: string, state: string): boolean =>
  state !== '' && timingSafeEqual(hash('sha256', kept, 'buffer'), hash('sha256', state, 'buffer'))

const hosted = (visit: Visit, state: string): string => (isHttps(visit) ? `__Host-${nameOf(state)}` : nameOf(state))
