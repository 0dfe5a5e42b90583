import type { Request, Response } from 'express'
import { launchSeconds, sessionResults } from '../shared/limits.ts'

/** The cookie of one game: the session survives a reload, and a learner who asked for it continues on another day. */
export interface Remembered {
  /** Token of the remembered learner, for StartPlay; empty: none. */
  readonly learnerToken: string
  /** The name of that learner. */
  readonly learnerName: string
  /** The secret of the running session, of any learner; empty: none. */
  readonly sessionSecret: string
}

export const nobody: Remembered = { learnerToken: '', learnerName: '', sessionSecret: '' }
const year = 365 * 24 * 3600 * 1000

const nameOf = (slug: string): string => `learner_${slug}`
/** Of the session that has just ended: its result is shown to who left it, until another session begins. */
const endedName = (slug: string): string => `ended_${slug}`

/** The learner and session of this game in the browser's cookie. */
export function readLearner(request: Request, slug: string): Remembered {
  const value = valueOf(request, nameOf(slug))
  const [, learnerToken = '', name = '', sessionSecret = ''] =
    /^([\w-]{0,200})\.([\w-]{0,2000})\.([\w-]{0,200})$/.exec(value) ?? []
  return { learnerToken, learnerName: Buffer.from(name, 'base64url').toString(), sessionSecret }
}

export function keepLearner(
  response: Response,
  slug: string,
  isHttps: boolean,
  { learnerToken, learnerName, sessionSecret }: Remembered,
): void {
  if (learnerToken === '' && sessionSecret === '') return forgetLearner(response, slug, isHttps)
  const value = [learnerToken, Buffer.from(learnerName).toString('base64url'), sessionSecret].join('.')
  // a session alone is kept until the browser is closed
  response.cookie(nameOf(slug), value, { ...attributes(slug, isHttps), maxAge: learnerToken === '' ? undefined : year })
}

export function forgetLearner(response: Response, slug: string, isHttps: boolean): void {
  response.clearCookie(nameOf(slug), attributes(slug, isHttps))
}

const attributes = (slug: string, secure: boolean) =>
  ({ httpOnly: true, sameSite: 'lax', path: `/play/${slug}`, secure }) as const

/** The secret of the session that this browser has just ended; empty: none. */
export const readEnded = (request: Request, slug: string): string => valueOf(request, endedName(slug))

export function keepEnded(response: Response, slug: string, isHttps: boolean, sessionSecret: string): void {
  if (sessionSecret === '') return
  const maxAge = sessionResults.minutes * 60_000
  response.cookie(endedName(slug), sessionSecret, { ...attributes(slug, isHttps), maxAge })
}

export function forgetEnded(request: Request, response: Response, slug: string, isHttps: boolean): void {
  if (readEnded(request, slug) !== '') response.clearCookie(endedName(slug), attributes(slug, isHttps))
}

/** The secret of this browser's session by a beta link; empty: none. Each link has a cookie of its own, by its path. */
export const readBeta = (request: Request): string => /^[\w-]{0,200}$/.exec(valueOf(request, 'beta'))?.[0] ?? ''

export function keepBeta(response: Response, code: string, isHttps: boolean, sessionSecret: string): void {
  response.cookie('beta', sessionSecret, { ...ofLink(code, isHttps), maxAge: launchSeconds * 1000 })
}

export function forgetBeta(response: Response, code: string, isHttps: boolean): void {
  response.clearCookie('beta', ofLink(code, isHttps))
}

const ofLink = (code: string, secure: boolean) =>
  ({ httpOnly: true, sameSite: 'lax', path: `/beta/${code}`, secure }) as const

function valueOf({ headers }: Request, name: string): string {
  const wanted = `${name}=`
  return (
    (headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(wanted))
      ?.slice(wanted.length) ?? ''
  )
}
