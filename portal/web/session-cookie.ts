import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Request, Response } from 'express'

/** The cookie that carries a studio's session. `__Host-`: set by this host only, over https only. */
const nameOf = (isHttps: boolean): string => (isHttps ? '__Host-session' : 'session')

/** By this cookie core recognizes a browser that was signed in before: a mark for each account. It signs nobody in. */
const knownNameOf = (isHttps: boolean): string => (isHttps ? '__Host-known' : 'known')
const mostKnown = 5
/** The longest life of a cookie that browsers accept. */
const knownMs = 400 * 24 * 3600 * 1000

/** The session that the browser sent; empty: none. */
export function readSession(request: Request, isHttps: boolean): string {
  const value = valueOf(request, nameOf(isHttps))
  return /^[\w-]{1,200}$/.test(value) ? value : ''
}

/** What the browser kept of earlier sessions; empty: nothing. */
export function readKnown(request: Request, isHttps: boolean): string {
  const value = valueOf(request, knownNameOf(isHttps))
  return /^[\w.~-]{1,1000}$/.test(value) ? value : ''
}

/** Adds a mark, the newest first, in place of the oldest when there are too many. */
export function addKnown(request: Request, response: Response, isHttps: boolean, mark: string): void {
  const before = readKnown(request, isHttps)
    .split('~')
    .filter((other) => other !== '' && other !== mark)
  response.cookie(knownNameOf(isHttps), [mark, ...before].slice(0, mostKnown).join('~'), {
    ...attributes(isHttps),
    maxAge: knownMs,
  })
}

/** Another cookie of this host: its value; empty: none. */
export const readCookie = (request: Request, name: string, isHttps: boolean): string =>
  valueOf(request, isHttps ? `__Host-${name}` : name)

export function setShortCookie(
  response: Response,
  name: string,
  isHttps: boolean,
  value: string,
  maxAge: number,
): void {
  response.cookie(isHttps ? `__Host-${name}` : name, value, { ...attributes(isHttps), maxAge })
}

/** A secret by which core knows the browser that began to sign in with a provider. It signs nobody in. */
const beganNameOf = (isHttps: boolean): string => (isHttps ? '__Host-began' : 'began')
const beganMs = 10 * 60 * 1000

/** Empty: none. */
export function readBegan(request: Request, isHttps: boolean): string {
  const value = valueOf(request, beganNameOf(isHttps))
  return /^[\w-]{43}$/.test(value) ? value : ''
}

/** The same secret for all that this browser begins, so that tabs do not disturb each other. */
export function keepBegan(request: Request, response: Response, isHttps: boolean): string {
  const secret = readBegan(request, isHttps) || randomBytes(32).toString('base64url')
  response.cookie(beganNameOf(isHttps), secret, { ...attributes(isHttps), maxAge: beganMs })
  return secret
}

const valueOf = (request: Request, name: string): string => cookiesOf(request).find(([of]) => of === name)?.[1] ?? ''

/** Names and values of all cookies that the browser sent. */
export const cookiesOf = ({ headers }: Request): [name: string, value: string][] =>
  (headers.cookie ?? '').split(';').map((pair) => {
    const [name, ...value] = pair.trim().split('=')
    return [name!, value.join('=')]
  })

/** `expires`: seconds since 1970. */
export function setSession(response: Response, isHttps: boolean, session: string, expires: bigint): void {
  response.cookie(nameOf(isHttps), session, { ...attributes(isHttps), expires: new Date(Number(expires) * 1000) })
}

export function clearSession(response: Response, isHttps: boolean): void {
  response.clearCookie(nameOf(isHttps), attributes(isHttps))
}

export const attributes = (secure: boolean) => ({ httpOnly: true, sameSite: 'lax', path: '/', secure }) as const

/**
 * The CSRF token in each form of a signed-in page; only readers of the page know it. Each page masks it differently (a
 * random pad, then the token XOR the pad): otherwise the length of a compressed page would show whether reflected input
 * repeats a part of the token (BREACH).
 */
export function csrfToken(session: string): string {
  const pad = randomBytes(tokenBytes)
  return Buffer.concat([pad, xor(pad, plainToken(session))]).toString('base64url')
}

export function isCsrfToken(given: string, session: string): boolean {
  const bytes = Buffer.from(given, 'base64url')
  if (bytes.length !== 2 * tokenBytes) return false
  return timingSafeEqual(xor(bytes.subarray(0, tokenBytes), bytes.subarray(tokenBytes)), plainToken(session))
}

const tokenBytes = 32
const plainToken = (session: string): Buffer => createHash('sha256').update(`csrf ${session}`).digest()
const xor = (left: Buffer, right: Buffer): Buffer => Buffer.from(left.map((byte, at) => byte ^ right[at]!))
