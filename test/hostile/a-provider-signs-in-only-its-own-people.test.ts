import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signInProviders as limits } from '../../shared/limits.ts'
import { isBack, refused, settings, start, startProviders, type Providers } from '../support/providers.ts'

let { system, said, people, honest, lying, browser, sentBack, end, saidNothingSecret, calm, close } = {} as Providers
beforeAll(async () => {
  ;({ system, said, people, honest, lying, browser, sentBack, end, saidNothingSecret, calm, close } =
    await startProviders())
})
afterAll(() => close())
beforeEach(() => calm())

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

  test('makes teachers of its school, and of no other organisation', async () => {
    await system.database.sql(
      "insert into studio (name, slug, kind) values ('Hill', 'hill', 'school'), ('Fox', 'fox', 'studio')",
    )
    const set = (school: string) =>
      system.admin.providers.setProvider({ name: 'honest', settings: settings({ school }) as never })
    await expect(set('fox')).rejects.toThrow('must be the name of a school')
    await set('hill')
    people['tea'] = { email: 'tea@example.org', email_verified: true, name: 'Tea' }
    honest.state.who = 'tea'
    const own = browser()
    expect(await end(own, await sentBack(own))).toEqual(['/classes', true])
    await set('')
    expect(
      await system.database.sql(
        `select s.slug, m.role from member m join studio s on s.id = m.studio join account a on a.id = m.account
          where a.email = 'tea@example.org'`,
      ),
    ).toEqual([{ slug: 'hill', role: 'teacher' }])
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

describe('what is kept', () => {
  test('no secret, code or token in the log, the client secret nowhere in clear', () => {
    expect(said.join('')).toContain('a sign-in with a provider failed')
    saidNothingSecret()
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
