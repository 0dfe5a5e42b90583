import type { Request, Response } from 'express'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  codeOf,
  isCodeOf,
  isProven,
  keepBeta,
  keepEnded,
  keepLearner,
  nobody,
  readBeta,
  readEnded,
  readLearner,
  type Remembered,
} from './learner-cookie.ts'

const ada: Remembered = { ...nobody, learnerToken: 'token', learnerName: 'Ada', sessionSecret: 'secret' }

/** A browser: it sends the cookies that it got, and forgets those that are cleared. */
function browser(isHttps: boolean) {
  const jar = new Map<string, string>()
  const attributes: Record<string, unknown>[] = []
  const request = {
    get headers() {
      return { cookie: Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ') }
    },
  } as Request
  const response = {
    cookie: (name: string, value: string, of: Record<string, unknown>) => (jar.set(name, value), attributes.push(of)),
    clearCookie: (name: string) => jar.delete(name),
  } as unknown as Response
  const keep = (slug: string, learner = ada) => keepLearner({ request, response }, slug, isHttps, learner)
  return { jar, attributes, request, response, keep, read: (slug: string) => readLearner(request, slug, isHttps) }
}

test('with https every cookie is bound to this host, and one that is not is not read', () => {
  const { jar, attributes, request, response, keep, read } = browser(true)
  keep('chess')
  keepEnded(response, 'chess', true, 'ended')
  keepBeta(response, 'the-code', true, 'beta')
  expect([...jar.keys()].every((name) => name.startsWith('__Host-'))).toBe(true)
  for (const of of attributes) expect(of).toMatchObject({ path: '/', secure: true, httpOnly: true, sameSite: 'lax' })
  expect(read('chess')).toEqual(ada)
  expect([readEnded(request, 'chess', true), readEnded(request, 'other', true)]).toEqual(['ended', ''])
  expect([readBeta(request, 'the-code', true), readBeta(request, 'other', true)]).toEqual(['beta', ''])
  expect([...jar.keys()].join('')).not.toContain('the-code')
  for (const [name, value] of Array.from(jar)) {
    jar.delete(name)
    jar.set(name.replace('__Host-', ''), value)
  }
  expect([read('chess'), readEnded(request, 'chess', true), readBeta(request, 'the-code', true)]).toEqual([
    nobody,
    '',
    '',
  ])
})

test('those of all games stay below 12 KB: the games that were played longest ago go', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { jar, request, keep, read } = browser(true)
  for (let game = 0; game < 200; game++) {
    vi.advanceTimersByTime(60_000)
    keep(`game-${game}`, { ...ada, learnerToken: 't'.repeat(43), sessionSecret: 's'.repeat(43) })
    keep('favourite')
  }
  expect(request.headers.cookie!.length).toBeLessThan(13 * 1024)
  expect(jar.size).toBeGreaterThan(50)
  expect([read('favourite').learnerName, read('game-199').learnerName, read('game-0')]).toEqual(['Ada', 'Ada', nobody])
})

test('own data is for who gave the name, while that session runs, and 15 minutes after a proof', () => {
  const now = Math.floor(Date.now() / 1000)
  const cases: [Partial<Remembered>, boolean][] = [
    [{ startedBy: 'name' }, true],
    [{ startedBy: 'yes' }, false],
    [{ startedBy: 'other' }, false],
    [{ startedBy: 'name', sessionSecret: '' }, false],
    [{ startedBy: 'yes', proven: now - 14 * 60 }, true],
    [{ startedBy: 'yes', proven: now - 16 * 60 }, false],
  ]
  for (const [learner, expected] of cases) expect(isProven({ ...ada, ...learner })).toBe(expected)
})

test('the code is of one learner, and may be written in any way', () => {
  const code = codeOf('token')
  expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/)
  expect([code, code.toLowerCase(), ` ${code.replace('-', ' ')} `].every((given) => isCodeOf('token', given))).toBe(
    true,
  )
  expect([isCodeOf('token', ''), isCodeOf('another', code)]).toEqual([false, false])
})
