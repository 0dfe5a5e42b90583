import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { JWTPayload } from 'jose'
import { startProviders, type Providers } from '../support/providers.ts'

let { system, lying, browser, lyingBack, end, calm, close } = {} as Providers
beforeAll(async () => {
  ;({ system, lying, browser, lyingBack, end, calm, close } = await startProviders())
})
afterAll(() => close())
beforeEach(() => calm())
type Browser = ReturnType<Providers['browser']>

describe('linking', () => {
  const password = 'correct horse battery'
  const passwordHash = hash(password)
  /** A studio whose owner has a password. */
  const member = async (name: string) => {
    const studio = await system.studio(name)
    await system.database.sql('update account set password_hash = $2 where id = $1', [
      studio.account,
      await passwordHash,
    ])
    return studio
  }
  /** A browser in which the studio is signed in. */
  const signedIn = (session: string): Browser => {
    const own = browser()
    own.setCookie('session', session)
    return own
  }
  const csrfOf = async (own: Browser): Promise<string> =>
    /name="csrf" value="([^"]+)"/.exec((await own.go('/account/providers')).text)![1]!
  /** Begins to link, and comes back as a person. */
  async function linkBack(own: Browser, claims: JWTPayload): Promise<string> {
    const page = await own.post('/account/providers', { csrf: await csrfOf(own), provider: 'lying', password })
    const asked = new URL(/^0; url=(.*)$/.exec(page.headers.get('refresh')!)![1]!)
    lying.state.nonce = asked.searchParams.get('nonce')!
    lying.state.claims = claims
    return `/sign-in/with/lying/back?${new URLSearchParams({ code: 'any', state: asked.searchParams.get('state')! })}`
  }
  const account = async (own: Browser): Promise<string> => (await own.go('/account')).text

  test('needs the sign-in of the account; then the provider signs in to it, whatever the address', async () => {
    const studio = await member('Red Owl')
    const own = signedIn(studio.session)
    const { url } = await own.go(await linkBack(own, { sub: 'rosa', email: 'rosa@elsewhere.example' }))
    expect(url).toBe(`${system.url}/account/providers?done=linked`)
    const other = browser()
    await end(other, await lyingBack(other))
    expect(await account(other)).toContain(studio.email)

    const told = await system.database.sql('select title from notification where account = $1 order by id', [
      studio.account,
    ])
    expect(told).toEqual([
      { title: 'Lying Login was linked to your account' },
      { title: 'A sign-in from a browser that was not used before' },
    ])

    const stranger = await member('Stranger')
    const theirs = signedIn(stranger.session)
    expect(new URL((await theirs.go(await linkBack(theirs, { sub: 'rosa' }))).url).pathname).toBe(
      '/sign-in/with/lying/linked-elsewhere',
    )
  })

  test('begins and ends in one account: not by a form of elsewhere, not without the password, not in the session of another', async () => {
    const [studio, other] = [await member('One'), await member('Two')]
    const own = signedIn(studio.session)
    for (const fields of [{}, { csrf: await csrfOf(signedIn(other.session)) }] as Record<string, string>[])
      expect((await own.post('/account/providers', { ...fields, provider: 'lying', password })).status).toBe(403)
    const wrong = { csrf: await csrfOf(own), provider: 'lying', password: 'not the password' }
    expect((await own.post('/account/providers', wrong)).status).toBe(400)
    const back = await linkBack(own, { sub: 'victor' })
    own.setCookie('session', other.session)
    expect(new URL((await own.go(back)).url).pathname).toBe('/sign-in/with/lying/over')
    expect(await system.database.sql("select 1 from provider_link where subject = 'victor'")).toEqual([])
  })

  test('ends by the person, but the last way to sign in stays', async () => {
    const studio = await member('Leaver')
    const own = signedIn(studio.session)
    await own.go(await linkBack(own, { sub: 'lea' }))
    const remove = async (own: Browser, provider: string) =>
      own.post(`/account/providers/${provider}/remove`, { csrf: await csrfOf(own) })
    await system.database.sql('update account set password_hash = null where id = $1', [studio.account])
    expect((await own.go('/account/providers')).text).toContain('Your only way to sign in')
    const last = await remove(own, 'lying')
    expect([last.status, await last.text()]).toEqual([409, expect.stringContaining('your only way to sign in')])
    await system.database.sql('update account set password_hash = $2 where id = $1', [
      studio.account,
      await passwordHash,
    ])
    expect((await remove(own, 'lying')).status).toBe(303)
    expect(await system.database.sql("select 1 from provider_link where subject = 'lea'")).toEqual([])
  })
})
