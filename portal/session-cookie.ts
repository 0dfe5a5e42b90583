import { createHash, timingSafeEqual } from 'node:crypto'
import type { Request, Response } from 'express'

/** The cookie that carries a studio's session. `__Host-`: set by this host only, over https only. */
const nameOf = (isHttps: boolean): string => (isHttps ? '__Host-session' : 'session')

/** The session that the browser sent; empty: none. */
export function readSession(request: Request, isHttps: boolean): string {
  const wanted = `${nameOf(isHttps)}=`
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? ''
  return /^[\w-]{1,200}$/.test(value) ? value : ''
}

/** `expires`: seconds since 1970. */
export function setSession(response: Response, isHttps: boolean, session: string, expires: bigint): void {
  response.cookie(nameOf(isHttps), session, { ...attributes(isHttps), expires: new Date(Number(expires) * 1000) })
}

export function clearSession(response: Response, isHttps: boolean): void {
  response.clearCookie(nameOf(isHttps), attributes(isHttps))
}

const attributes = (secure: boolean) => ({ httpOnly: true, sameSite: 'lax', path: '/', secure }) as const

/** What each form of a signed-in page carries: nobody who has not read the page knows it. */
export const csrfToken = (session: string): string => createHash('sha256').update(`csrf ${session}`).digest('base64url')

export function isCsrfToken(given: string, session: string): boolean {
  const [left, right] = [given, csrfToken(session)].map((token) => createHash('sha256').update(token).digest())
  return timingSafeEqual(left!, right!)
}
