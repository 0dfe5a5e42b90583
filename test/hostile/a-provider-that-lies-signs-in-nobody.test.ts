import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { client, type Lie } from '../support/openid.ts'
import { refused, start, startProviders, type Providers } from '../support/providers.ts'

let { system, lying, add, browser, lyingBack, end, calm, close } = {} as Providers
beforeAll(async () => {
  ;({ system, lying, add, browser, lyingBack, end, calm, close } = await startProviders())
})
afterAll(() => close())
beforeEach(() => calm())

const unsigned = (claims: JWTPayload): string =>
  [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + '.'
const otherKey = (await generateKeyPair('RS256')).privateKey
const signed = (alg: string, key: Parameters<SignJWT['sign']>[0]) => (claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg, kid: 'k1' }).sign(key)
const lies: Record<string, Lie> = {
  'another nonce': { claims: { nonce: 'other' } },
  'no nonce': { claims: { nonce: undefined } },
  'another audience': { claims: { aud: 'somebody-else' } },
  'two audiences, meant for the other': { claims: { aud: [client.clientId, 'somebody-else'], azp: 'somebody-else' } },
  'meant for another party': { claims: { azp: 'somebody-else' } },
  'another issuer': { claims: { iss: 'https://login.example.org' } },
  'a token that is over': { claims: { exp: Math.floor(Date.now() / 1000) - 600 } },
  'no subject': { claims: { sub: undefined } },
  'a subject that cannot be kept': { claims: { sub: 'a\0b' } },
  'no signature': { token: unsigned },
  'a signature with the client secret': { token: signed('HS256', Buffer.from(client.clientSecret)) },
  'a signature of somebody else': { token: signed('RS256', otherKey) },
  'no token': {
    answer: ({ url }, response) =>
      url === '/token' &&
      Boolean(response.setHeader('content-type', 'application/json').end('{"access_token":"a","token_type":"Bearer"}')),
  },
}

describe('a provider that lies', () => {
  test.each(Object.entries(lies))('is refused: %s', async (_, lie) => {
    lying.state.lie = lie
    const own = browser()
    expect(await end(own, await lyingBack(own))).toEqual(refused('not-accepted'))
  })

  test('the same without a lie is taken, so it was the lie', async () => {
    const own = browser()
    lying.state.claims = { email: 'eve@example.org', email_verified: true }
    expect(await end(own, await lyingBack(own))).toEqual([start, true])
  })

  test('does not come into the account of an address that it names, nor may it open one where none may be opened', async () => {
    const { email } = await system.studio('Blue Fox')
    const come = async (provider: string, claims: JWTPayload) => {
      const own = browser()
      lying.state.claims = { email_verified: true, ...claims }
      return end(own, await lyingBack(own, provider))
    }
    expect(await come('lying', { sub: 'mallory', email })).toEqual(refused('address-taken'))
    await add('closed', lying.issuer, { opens: false })
    expect(await come('closed', { sub: 'mallory', email: 'm@example.org' })).toEqual(refused('unknown', 'closed'))
    await add('ours', lying.issuer, { domains: ['Example.com'] })
    expect(await come('ours', { sub: 'mallory', email: 'm@example.com.evil.example' })).toEqual(
      refused('other-domain', 'ours'),
    )
    expect(await come('ours', { sub: 'mallory', email: 'm@example.com' })).toEqual([start, true])
  })
})
