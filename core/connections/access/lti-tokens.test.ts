import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { newKey } from './lti-keys.ts'
import { ltiTokens, type PlatformAccess } from './lti-tokens.ts'

/** A platform that gives a new token each time, for `lasts` seconds, and takes the last one only. */
async function start(lasts: number) {
  const key = await newKey()
  const asked: URLSearchParams[] = []
  let at = 1_000_000
  const guardedFetch: PlatformAccess['guardedFetch'] = async ({ url, body, headers }) => {
    const isToken = url === 'https://lms.example/token'
    if (isToken) asked.push(new URLSearchParams(String(body)))
    const token = { access_token: `t${asked.length}`, token_type: 'Bearer', expires_in: lasts }
    const status = isToken || headers?.['authorization'] === `Bearer t${asked.length}` ? 200 : 401
    return { status, headers: {}, body: Buffer.from(JSON.stringify(token)), isPublic: true }
  }
  const tokens = ltiTokens(() => at)
  const platform = { platformId: 'p', clientId: 'c1', tokenUrl: 'https://lms.example/token' }
  const access = { platform, scopes: ['s1', 's2'], key: async () => key, guardedFetch }
  const call = (more: Partial<PlatformAccess> = {}) =>
    tokens.call({ ...access, ...more }, { url: 'https://lms.example/m' })
  return { asked, call, pass: (by: number) => void (at += by) }
}

test('a token is asked for with a signed assertion, and kept until a minute before its end', async () => {
  const { asked, call, pass } = await start(600)
  expect([(await call()).status, (await call({ scopes: ['s2', 's1'] })).status, asked.length]).toEqual([200, 200, 1])
  const { client_assertion: assertion, ...rest } = Object.fromEntries(asked[0]!)
  expect(rest).toEqual({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    scope: 's1 s2',
  })
  expect(decodeJwt(assertion!)).toMatchObject({ iss: 'c1', sub: 'c1', aud: 'https://lms.example/token' })
  pass(539)
  await call()
  expect(asked).toHaveLength(1)
  pass(1)
  await call()
  expect(asked).toHaveLength(2)
})

test('a token that the platform no longer takes is renewed once', async () => {
  const { asked, call } = await start(600)
  await call()
  await call({ scopes: ['s3'] })
  expect([(await call()).status, asked.length]).toEqual([200, 3])
  const guardedFetch: PlatformAccess['guardedFetch'] = async ({ url }) => {
    const answer = { headers: {}, body: Buffer.from('{"access_token":"x","expires_in":600}'), isPublic: true }
    return { ...answer, status: url.endsWith('/token') ? 200 : 401 }
  }
  expect((await call({ guardedFetch, scopes: ['s4'] })).status).toBe(401)
})

test('a refusal is told without what else the platform says', async () => {
  const { call } = await start(600)
  const body = Buffer.from('{"error":"invalid_scope","error_description":"secret"}')
  const guardedFetch: PlatformAccess['guardedFetch'] = async () => ({ status: 400, headers: {}, body, isPublic: true })
  await expect(call({ guardedFetch })).rejects.toThrow(
    'lms.example gives no access to its courses: 400, invalid_scope.',
  )
})
