import { hash } from '@node-rs/argon2'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { outgoing } from '../../core/outgoing/outgoing.ts'
import type { ProviderSettings } from '../../gen/lrs/v1/providers_pb.js'
import { signInProviders as limits } from '../../shared/limits.ts'
import { run } from '../support/admin.ts'
import { client, simpleBrowser, startLyingProvider, startOpenIdProvider, type Lie } from '../support/openid.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { tokens } from '../support/system.ts'

let system: PortalSystem
/** What core and portal log. */
const said: string[] = []
let honest: Awaited<ReturnType<typeof startOpenIdProvider>>
let lying: Awaited<ReturnType<typeof startLyingProvider>>
const people: Record<string, Record<string, unknown>> = {
  ann: { email: 'ann@example.org', email_verified: true, name: 'Ann', groups: ['makers'] },
  ben: { email: 'ben@example.org', email_verified: false, name: 'Ben' },
}

const settings = (more: Partial<ProviderSettings> = {}) => ({
  label: 'Example Login',
  clientId: client.clientId,
  scopes: ['email', 'profile', 'groups'],
  groupClaim: '',
  opens: true,
  ...more,
})
const add = (name: string, issuer: string, more: object = {}) =>
  system.admin.providers.addProvider({
    name,
    issuer,
    clientSecret: client.clientSecret,
    settings: settings(more) as never,
  })

beforeAll(async () => {
  const log = pino(
    { level: 'debug' },
    new Writable({ write: (line, _encoding, done) => (said.push(String(line)), done()) }),
  )
  system = await startPortalSystem({ log })
  honest = await startOpenIdProvider(people, [`${system.url}/sign-in/with/honest/back`])
  lying = await startLyingProvider()
  await add('honest', honest.issuer)
  await add('lying', lying.issuer, { label: 'Lying Login' })
})
afterAll(async () => {
  await Promise.all([honest?.close(), lying?.close()])
  await system.close()
})
beforeEach(() => {
  Object.assign(lying.state, { lie: {}, claims: {} })
  Object.assign(honest.state, { who: 'ann', denies: false })
})

const browser = () => simpleBrowser(system.url)
type Browser = ReturnType<typeof browser>
/** Where people without a studio arrive. */
const start = '/start'
const isBack = (url: string): boolean => url.includes('/back?')
/** The address of ours to which the provider sends the browser back. */
const sentBack = async (own: Browser, provider = 'honest'): Promise<string> =>
  (await own.go(`/sign-in/with/${provider}`, isBack)).url
/** The same at the provider that lies: it knows the nonce, and gives any code. */
async function lyingBack(own: Browser, provider = 'lying', query: Record<string, string> = {}): Promise<string> {
  const { headers } = await own.ask(`/sign-in/with/${provider}`)
  const asked = new URL(headers.get('location')!)
  lying.state.nonce = asked.searchParams.get('nonce')!
  const back = new URL(asked.searchParams.get('redirect_uri')!)
  back.search = new URLSearchParams({ code: 'any', state: asked.searchParams.get('state')!, ...query }).toString()
  return back.href
}
/** The page at the end, and whether somebody is signed in. */
async function end(own: Browser, address: string): Promise<[path: string, signedIn: boolean]> {
  const { url } = await own.go(address)
  return [new URL(url).pathname, own.cookie('session') !== undefined]
}
const refused = (problem: string, provider = 'lying') => [`/sign-in/with/${provider}/${problem}`, false]

test('a network that has begun the highest number of sign-ins keeps no other network out', async () => {
  await system.database.sql(
    `insert into sign_in_attempt (state, browser, provider, redirect_uri, nonce, verifier, next, crowd, expires)
      select sha256(n::text::bytea), '', p.id, '', '', '', '', 'flood', now() + interval '9 minutes'
      from sign_in_provider p, generate_series(1, $1) n where p.name = 'honest'`,
    [limits.attempts],
  )
  try {
    const own = browser()
    expect(await end(own, await sentBack(own))).toEqual([start, true])
    const [row] = await system.database.sql<{ n: number }>(
      "select count(*)::int as n from sign_in_attempt where crowd = 'flood'",
    )
    expect(row!.n).toBe(limits.attempts - 1)
  } finally {
    await system.database.sql("delete from sign_in_attempt where crowd = 'flood'")
  }
})

describe('oidc-provider', () => {
  test('signs in a person, who gets an account, and finds it again', async () => {
    const first = browser()
    const page = await first.go('/sign-in/with/honest?next=/account')
    expect([new URL(page.url).pathname, page.status]).toEqual(['/account', 200])
    expect(page.text).toContain('ann@example.org')
    const second = browser()
    people['ann']!['email'] = 'ann@elsewhere.example'
    expect((await second.go('/sign-in/with/honest?next=/account')).text).toContain('ann@example.org')
    const rows = await system.database.sql(
      'select email, email_verified is not null as verified, password_hash from account',
    )
    expect(rows).toEqual([{ email: 'ann@example.org', verified: true, password_hash: null }])
  })

  test('no code, state or token stays in an address that a browser keeps, also when it fails', async () => {
    for (const denies of [false, true]) {
      honest.state.denies = denies
      const own = browser()
      const { url } = await own.go('/sign-in/with/honest?next=/account')
      expect(own.seen.some(isBack)).toBe(true)
      expect(url).toBe(`${system.url}${denies ? '/sign-in/with/honest/denied' : '/account'}`)
    }
  })

  test('a code counts once: the provider refuses it in a second sign-in', async () => {
    const [first, second] = [browser(), browser()]
    const used = new URL(await sentBack(first))
    expect(await end(first, used.href)).toEqual([start, true])
    const again = new URL(await sentBack(second))
    again.searchParams.set('code', used.searchParams.get('code')!)
    expect(await end(second, again.href)).toEqual(refused('not-accepted', 'honest'))
  })

  test("a code of somebody else's sign-in is refused: PKCE binds it to the browser that began", async () => {
    const [victim, thief] = [browser(), browser()]
    const stolen = new URL(await sentBack(victim))
    const own = new URL(await sentBack(thief))
    own.searchParams.set('code', stolen.searchParams.get('code')!)
    expect(await end(thief, own.href)).toEqual(refused('not-accepted', 'honest'))
  })

  test('what a browser began, no other finishes, and none finishes twice', async () => {
    const [own, other] = [browser(), browser()]
    const back = await sentBack(own)
    expect(await end(other, back)).toEqual(refused('over', 'honest'))
    await other.ask('/sign-in/with/honest')
    expect(await end(other, back)).toEqual(refused('over', 'honest'))
    expect(await end(own, back)).toEqual([start, true])
    const later = browser()
    later.setCookie('began', own.cookie('began')!)
    expect(await end(later, back)).toEqual(refused('over', 'honest'))
    const slow = browser()
    const late = await sentBack(slow)
    await system.database.sql("update sign_in_attempt set expires = now() - interval '1 second'")
    expect(await end(slow, late)).toEqual(refused('over', 'honest'))
  })

  test('a mixed-up provider is refused: an answer at the address of another one, or with its name', async () => {
    const own = browser()
    const back = await sentBack(own)
    expect(await end(own, back.replace('/with/honest/', '/with/lying/'))).toEqual(refused('over'))
    expect(await end(own, back)).toEqual(refused('over', 'honest'))
    const named = new URL(await sentBack(own))
    expect(named.searchParams.get('iss')).toBe(honest.issuer)
    named.searchParams.set('iss', lying.issuer)
    expect(await end(own, named.href)).toEqual(refused('not-accepted', 'honest'))
    const unnamed = new URL(await sentBack(own))
    unnamed.searchParams.delete('iss')
    expect(await end(own, unnamed.href)).toEqual(refused('not-accepted', 'honest'))
  })

  test('an address that it has not verified opens no account', async () => {
    honest.state.who = 'ben'
    const own = browser()
    expect(await end(own, '/sign-in/with/honest')).toEqual(refused('no-address', 'honest'))
    expect(await system.database.sql("select 1 from account where email = 'ben@example.org'")).toEqual([])
  })

  test('answers whether it takes our client', async () => {
    const ask = async (name: string) => (await system.admin.providers.testProvider({ name })).findings
    const good = await ask('honest')
    expect(good.every(({ good }) => good)).toBe(true)
    expect(good.at(-1)!.text).toBe('It takes our client id and secret.')
    await system.admin.providers.setProvider({ name: 'honest', settings: settings() as never, clientSecret: 'another' })
    expect((await ask('honest')).at(-1)).toMatchObject({
      good: false,
      text: expect.stringContaining('does not accept our client id and secret'),
    })
  })
})

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

  test('does not come into the account of an address that it names, nor opens a forbidden one', async () => {
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

describe('a provider that does not answer as it should', () => {
  const page = 'unreachable'
  test.each([
    ['dead', 'http://127.0.0.1:1', page],
    ['private', 'https://10.1.2.3', page],
    ['metadata', 'http://169.254.169.254', page],
    ['plain', 'http://192.0.2.7', page],
  ])('at the start: %s', async (name, issuer, problem) => {
    await add(name, issuer)
    const own = browser()
    expect(await end(own, `/sign-in/with/${name}`)).toEqual(refused(problem, name))
  })

  const answers: Record<string, Lie['answer']> = {
    large: (_request, response) => {
      response.setHeader('content-type', 'application/json').end(Buffer.alloc(10 * 1024 * 1024, ' '))
      return true
    },
    redirect: (_request, response) => Boolean(response.writeHead(302, { location: `${lying.issuer}/elsewhere` }).end()),
    broken: (_request, response) => Boolean(response.setHeader('content-type', 'application/json').end('{')),
  }
  const cases = Object.entries(answers)

  test('at the start: with 10 MB, a redirect, no JSON', async () => {
    lying.state.lie = {
      answer: (request, response) =>
        answers[/^\/(\w+)\/\.well-known/.exec(request.url!)?.[1] ?? '']?.(request, response) ?? false,
    }
    await Promise.all(cases.map(([name]) => add(name, `${lying.issuer}/${name}`)))
    await Promise.all(
      cases.map(async ([name]) => expect(await end(browser(), `/sign-in/with/${name}`)).toEqual(refused(page, name))),
    )
    expect(lying.state.asked).not.toContain('/elsewhere')
  })

  test.each(cases)('at the end: %s', async (_, answer) => {
    const own = browser()
    const back = await lyingBack(own)
    lying.state.lie = { answer: (request, response) => request.url === '/token' && answer!(request, response) }
    expect(await end(own, back)).toEqual(refused(page))
  })

  test('in time: the call ends after the seconds of the settings', async () => {
    lying.state.lie = { answer: () => true }
    const calls = outgoing({ allowed: ['127.0.0.1'], seconds: 1, mailSeconds: 1 })
    const provider = { issuer: `${lying.issuer}/slow`, ...client }
    expect(await calls.openIdAddress({ provider, parameters: {} })).toMatchObject({ failure: 'unreachable' })
    await calls.close()
  })

  test('calls itself by another name than the one that was agreed on', async () => {
    await add('renamed', `${lying.issuer}/tenant`)
    const own = browser()
    expect(await end(own, '/sign-in/with/renamed')).toEqual(refused('not-accepted', 'renamed'))
  })
})

describe('groups', () => {
  const signIn = async (provider: string, groups: unknown) => {
    lying.state.claims = { sub: 'gwen', email: 'gwen@example.org', email_verified: true, roles: { of: groups } }
    const own = browser()
    const [path] = await end(own, await lyingBack(own, provider))
    return path
  }
  const rights = async () =>
    (
      await system.database.sql("select admin, reviewer, may_own as own from account where email = 'gwen@example.org'")
    )[0]

  test('give roles at each sign-in and take them away; what an admin gave stays', async () => {
    const groups = { admin: ['ops'], reviewer: ['teachers'], studio: ['makers'] }
    await add('groups', lying.issuer, { groupClaim: 'roles.of', groups })
    expect(await signIn('groups', ['others'])).toBe('/sign-in/with/groups/no-group')
    expect(await rights()).toBeUndefined()
    expect(await signIn('groups', ['ops', 'teachers'])).toBe(start)
    expect(await rights()).toEqual({ admin: true, reviewer: true, own: 0 })
    await signIn('groups', ['makers'])
    expect(await rights()).toEqual({ admin: false, reviewer: false, own: 1 })
    await signIn('groups', ['makers', 'teachers'])
    expect(await rights()).toEqual({ admin: false, reviewer: true, own: 1 })
    await system.admin.accounts.setReviewer({ email: 'gwen@example.org', reviewer: true })
    await signIn('groups', 'makers')
    expect(await rights()).toEqual({ admin: false, reviewer: true, own: 1 })
    await system.admin.accounts.setReviewer({ email: 'gwen@example.org', reviewer: false })
    await signIn('groups', ['ops'])
    expect(await rights()).toEqual({ admin: true, reviewer: false, own: 0 })
    await system.admin.operator.setAdmin({ email: 'gwen@example.org', admin: true })
    await signIn('groups', ['makers'])
    expect(await rights()).toEqual({ admin: true, reviewer: false, own: 1 })
    await system.admin.operator.setAdmin({ email: 'gwen@example.org', admin: false })
    expect(await signIn('groups', [])).toBe('/sign-in/with/groups/no-group')
    expect(await rights()).toEqual({ admin: false, reviewer: false, own: 0 })
  })

  test('a provider that is removed takes its roles with it', async () => {
    await signIn('groups', ['ops'])
    expect(await rights()).toMatchObject({ admin: true })
    const counts = { links: 1, stranded: 1 }
    expect(await system.admin.providers.removeProvider({ name: 'groups', preview: true })).toMatchObject(counts)
    expect(await rights()).toMatchObject({ admin: true })
    expect(await system.admin.providers.removeProvider({ name: 'groups' })).toMatchObject(counts)
    expect(await rights()).toMatchObject({ admin: false })
  })
})

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

  test('begins and ends in one account: no foreign form, missing password or other session', async () => {
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

describe('what is kept', () => {
  test('no secret, code or token in the log, the client secret nowhere in clear', () => {
    expect(said.join('')).toContain('a sign-in with a provider failed')
    expect(said.join('')).not.toMatch(/code=|state=|eyJ|nonce=/)
    expect(said.join('')).not.toContain(client.clientSecret)
  })

  test('the audit log has who signed in with what, and what was refused, without codes', async () => {
    await Promise.all(system.cores.map(({ audit }) => audit.flush()))
    const action = 'account.sign-in-with-provider'
    const { entries } = await system.admin.audit.listEntries({ filter: { action }, page: { limit: 100 } })
    const told = entries.map(({ actor, outcome, details }) => [actor!.name, outcome, details['problem']])
    expect(told).toContainEqual(['ann@example.org', 'ok', undefined])
    expect(told).toContainEqual(['', 'unauthenticated', expect.any(String)])
  })

  test('begun sign-ins are bounded for each sender', async () => {
    await system.database.sql(
      "update portal_window set count = 60 where bucket = 'sign-in-with' and started > now() - interval '15 minutes'",
    )
    const own = browser()
    expect(await end(own, '/sign-in/with/lying')).toEqual(refused('too-many'))
  })
})

describe('games-lrs providers', () => {
  const admin = (args: string[], input?: string) =>
    run(args, {
      env: { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin },
      ...(input !== undefined && { input }),
    })

  test('adds, shows, changes, tests and removes one; its secret, from stdin or a file, stays hidden', async () => {
    const secret = 'a secret of the command line'
    const given = ['--issuer', lying.issuer, '--client-id', 'lrs', '--label', 'Our school', '--domain', 'example.org']
    const added = await admin(['providers', 'add', 'school', ...given], `${secret}\n`)
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('/sign-in/with/school/back') })
    const changed = await admin(['providers', 'set', 'school', '--open-accounts', '--scopes', 'openid email', 'groups'])
    expect(changed).toMatchObject({ code: 0, out: expect.stringMatching(/scopes +openid email groups\n/) })
    expect(changed.out).toMatch(/client secret +kept, sealed\n/)
    expect(changed.out).toMatch(/unknown people +get an account, of example.org\n/)
    const listed = await admin(['providers', 'list', '--json'])
    expect(JSON.parse(listed.out).providers).toContainEqual(expect.objectContaining({ name: 'school', opens: true }))
    const tested = await admin(['providers', 'test', 'school'])
    expect(tested).toMatchObject({ code: 1, out: expect.stringMatching(/^ok +It is reached/) })
    for (const { out, error } of [added, changed, listed, tested]) expect(out + error).not.toContain(secret)
    const sealed = await system.database.sql("select client_secret from sign_in_provider where name = 'school'")
    expect(Buffer.from(sealed[0]!['client_secret'] as Uint8Array).includes(secret)).toBe(false)
    expect(await admin(['providers', 'remove', 'school', '--yes'])).toMatchObject({ code: 0 })
    expect(await admin(['providers', 'show', 'school'])).toMatchObject({
      code: 1,
      error: expect.stringContaining('"school"'),
    })
  })

  test('says what is wrong with a provider', async () => {
    const add = (name: string, ...more: string[]) =>
      admin([
        'providers',
        'add',
        name,
        '--issuer',
        'https://x.example',
        '--client-id',
        'x',
        '--label',
        'X',
        '--no-secret',
        ...more,
      ])
    expect(await add('No Name')).toMatchObject({ code: 1, error: expect.stringContaining('name') })
    expect(await add('ours-2', '--admin-group', 'ops')).toMatchObject({
      code: 1,
      error: expect.stringContaining('claim'),
    })
    expect(await add('honest')).toMatchObject({
      code: 1,
      error: expect.stringContaining('there is a provider of this name'),
    })
    expect(await add('x', '--issuer', 'ftp://x')).toMatchObject({ code: 1, error: expect.stringContaining('address') })
  })
})
