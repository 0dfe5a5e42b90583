import type { Request, Response } from 'express'

/** What the browser of a learner keeps about one game: the same learner plays on, the session survives a reload. */
export interface Remembered {
  /** For StartPlay; empty: nobody has played here. */
  readonly learnerToken: string
  /** What the learner called themself. */
  readonly learnerName: string
  /** Of the session that runs; empty: none. */
  readonly sessionSecret: string
}

export const nobody: Remembered = { learnerToken: '', learnerName: '', sessionSecret: '' }
const year = 365 * 24 * 3600 * 1000

const nameOf = (slug: string): string => `learner_${slug}`

/** What this browser knows of the game. */
export function readLearner({ headers }: Request, slug: string): Remembered {
  const wanted = `${nameOf(slug)}=`
  const value = (headers.cookie ?? '').split(';').map((pair) => pair.trim()).find((pair) => pair.startsWith(wanted))?.slice(wanted.length) ?? ''
  const [, learnerToken = '', name = '', sessionSecret = ''] = /^([\w-]{0,200})\.([\w-]{0,2000})\.([\w-]{0,200})$/.exec(value) ?? []
  return { learnerToken, learnerName: Buffer.from(name, 'base64url').toString(), sessionSecret }
}

export function keepLearner(response: Response, slug: string, isHttps: boolean, { learnerToken, learnerName, sessionSecret }: Remembered): void {
  const value = [learnerToken, Buffer.from(learnerName).toString('base64url'), sessionSecret].join('.')
  response.cookie(nameOf(slug), value, { ...attributes(slug, isHttps), maxAge: year })
}

export function forgetLearner(response: Response, slug: string, isHttps: boolean): void {
  response.clearCookie(nameOf(slug), attributes(slug, isHttps))
}

const attributes = (slug: string, secure: boolean) => ({ httpOnly: true, sameSite: 'lax', path: `/play/${slug}`, secure }) as const
