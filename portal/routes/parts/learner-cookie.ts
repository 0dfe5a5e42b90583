import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { launchSeconds, remembered, sessionResults } from '../../../shared/limits.ts'
import { attributes, cookiesOf, readCookie } from '../../web/session-cookie.ts'

/** The cookie of one game: the session survives a reload, and a learner who asked for it continues on another day. */
export interface Remembered {
  /** Token of the remembered learner, for StartPlay; empty: none. */
  readonly learnerToken: string
  /** The name of that learner. */
  readonly learnerName: string
  /** The secret of the running session, of any learner; empty: none. */
  readonly sessionSecret: string
  /** Whose session it is: the remembered learner's, who gave the name or only said yes to it, or another one's. */
  readonly startedBy: StartedBy
  /** When the person at this browser last proved to be the remembered learner: seconds since 1970. */
  readonly proven: number
}

const starts = ['other', 'yes', 'name'] as const
export type StartedBy = (typeof starts)[number]

export const nobody: Remembered = {
  learnerToken: '',
  learnerName: '',
  sessionSecret: '',
  startedBy: 'other',
  proven: 0,
}
/** Bytes of these cookies of all games. Browsers send them with each request; the portal reads 32 KB. */
const mostBytes = 12 * 1024

const prefix = 'learner-'
const nameOf = (slug: string): string => `${prefix}${slug}`
const seconds = (): number => Math.floor(Date.now() / 1000)
const pattern = /^([\da-z]{1,9})\.([\w-]{0,200})\.([\w-]{0,2000})\.([\w-]{0,200})\.([012])\.([\da-z]{1,9})$/

/** The learner and session of this game in the browser's cookie. */
export function readLearner(request: Request, slug: string, isHttps: boolean): Remembered {
  const found = pattern.exec(readCookie(request, nameOf(slug), isHttps))
  if (!found) return nobody
  const [, , learnerToken, name, sessionSecret, by, proven] = found
  return {
    learnerToken: learnerToken!,
    learnerName: Buffer.from(name!, 'base64url').toString(),
    sessionSecret: sessionSecret!,
    startedBy: starts[Number(by)]!,
    proven: parseInt(proven!, 36),
  }
}

/** Whether own data may be shown: the person who typed the name plays, or proved a moment ago to be the learner. */
export const isProven = ({ startedBy, sessionSecret, proven }: Remembered): boolean =>
  (startedBy === 'name' && sessionSecret !== '') || seconds() - proven <= remembered.provenMinutes * 60

export const provenNow = seconds

export function keepLearner(
  { request, response }: { request: Request; response: Response },
  slug: string,
  isHttps: boolean,
  { learnerToken, learnerName, sessionSecret, startedBy, proven }: Remembered,
): void {
  if (learnerToken === '' && sessionSecret === '') return forgetLearner(response, slug, isHttps)
  const name = Buffer.from(learnerName).toString('base64url')
  const value = [
    seconds().toString(36),
    learnerToken,
    name,
    sessionSecret,
    String(starts.indexOf(startedBy)),
    proven.toString(36),
  ].join('.')
  // a session alone is kept until the browser is closed
  const maxAge = learnerToken === '' ? undefined : remembered.days * 24 * 3600 * 1000
  response.cookie(hosted(nameOf(slug), isHttps), value, { ...attributes(isHttps), maxAge })
  // those of the games that were played longest ago go
  const others = cookiesOf(request)
    .filter(([of]) => of.startsWith(hosted(prefix, isHttps)) && of !== hosted(nameOf(slug), isHttps))
    .toSorted(([, left], [, right]) => lastUsed(right) - lastUsed(left))
  let bytes = value.length
  for (const [of, kept] of others)
    if ((bytes += of.length + kept.length) > mostBytes) response.clearCookie(of, attributes(isHttps))
}

const lastUsed = (value: string): number => parseInt(pattern.exec(value)?.[1] ?? '0', 36)

export function forgetLearner(response: Response, slug: string, isHttps: boolean): void {
  response.clearCookie(hosted(nameOf(slug), isHttps), attributes(isHttps))
}

/** Drops the sessions that nobody is remembered for, of all games: the next child finds nothing of the one before. */
export function dropSessions({ request, response }: { request: Request; response: Response }, isHttps: boolean): void {
  for (const [of] of cookiesOf(request)) {
    const slug = of.startsWith(hosted(prefix, isHttps)) ? of.slice(hosted(prefix, isHttps).length) : ''
    const learner = readLearner(request, slug, isHttps)
    if (learner.sessionSecret === '' || learner.startedBy !== 'other') continue
    keepLearner({ request, response }, slug, isHttps, { ...learner, sessionSecret: '' })
  }
}

/** The code by which a remembered learner shows later who it is. It is computed from the token and stored nowhere. */
export function codeOf(learnerToken: string): string {
  const digest = createHash('sha256').update(`code ${learnerToken}`).digest()
  const code = Array.from(digest.subarray(0, 8), (byte) => letters[byte % letters.length]).join('')
  return `${code.slice(0, 4)}-${code.slice(4)}`
}
/** Without those that look alike; 32 of them. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
export const isCodeOf = (learnerToken: string, given: string): boolean =>
  given.toUpperCase().replaceAll(/[^\dA-Z]/g, '') === codeOf(learnerToken).replace('-', '')

/** The session that ended last in this browser, of any game: its result is shown until another session begins. */
const ended = 'ended-session'

/** The secret of the session of this game that this browser has just ended; empty: none. */
export function readEnded(request: Request, slug: string, isHttps: boolean): string {
  const [of, secret] = readCookie(request, ended, isHttps).split('.')
  return of === slug && /^[\w-]{1,200}$/.test(secret ?? '') ? secret! : ''
}

export function keepEnded(response: Response, slug: string, isHttps: boolean, sessionSecret: string): void {
  if (sessionSecret === '') return
  const maxAge = sessionResults.minutes * 60_000
  response.cookie(hosted(ended, isHttps), `${slug}.${sessionSecret}`, { ...attributes(isHttps), maxAge })
}

export function forgetEnded(request: Request, response: Response, slug: string, isHttps: boolean): void {
  if (readEnded(request, slug, isHttps) !== '') response.clearCookie(hosted(ended, isHttps), attributes(isHttps))
}

/** Each link to a beta has a cookie of its own. Its name does not tell the code. */
const ofLink = (code: string): string => `beta-${createHash('sha256').update(code).digest('hex').slice(0, 16)}`

/** The secret of this browser's session by a beta link; empty: none. */
export const readBeta = (request: Request, code: string, isHttps: boolean): string =>
  /^[\w-]{0,200}$/.exec(readCookie(request, ofLink(code), isHttps))?.[0] ?? ''

export function keepBeta(response: Response, code: string, isHttps: boolean, sessionSecret: string): void {
  response.cookie(hosted(ofLink(code), isHttps), sessionSecret, {
    ...attributes(isHttps),
    maxAge: launchSeconds * 1000,
  })
}

export function forgetBeta(response: Response, code: string, isHttps: boolean): void {
  response.clearCookie(hosted(ofLink(code), isHttps), attributes(isHttps))
}

const hosted = (name: string, isHttps: boolean): string => (isHttps ? `__Host-${name}` : name)
