import type { Request, Response } from 'express'

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

/** The learner and session of this game in the browser's cookie. */
export function readLearner({ headers }: Request, slug: string): Remembered {
  const wanted = `${nameOf(slug)}=`
  const value =
    (headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(wanted))
      ?.slice(wanted.length) ?? ''
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
