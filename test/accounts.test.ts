import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { Code } from '@connectrpc/connect'
import { captcha } from '../core/access/captcha.ts'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import type { CoreClient } from './support/core-client.ts'
import { addGame } from './support/games.ts'
import { easyPuzzle, signingKey, startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'
import { bestOfThree } from './support/cost.ts'

let system: System
let portal: CoreClient
let n = 0

beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 0, puzzle: easyPuzzle, realPasswords: true })
  portal = system.connections[0]!.as(bearer(tokens.portal))
})
afterAll(() => system.close())

const password = 'correct horse battery'
const as = (session: string, core = 1): CoreClient =>
  system.connections[core]!.as(bearer(tokens.portal), { 'x-lrs-session': session })
const from = () => `192.0.2.${++n % 250}`

async function account(name = 'Blue Fox') {
  const email = `studio-${++n}@example.org`
  const { session, known } = await portal.accounts.signUp({ email, password, studioName: name, senderIp: from() })
  return { email, session, known }
}

/** Reason and path of the refusal. */
async function refusal(call: Promise<unknown>): Promise<{ reason: Reason; path: string; message: string }> {
  const error = await call.then(
    () => expect.fail('it was not refused'),
    (error) => error,
  )
  const [failure] = error.findDetails(FailureSchema)
  return { reason: failure.reason, path: failure.path, message: failure.message }
}

describe('accounts', () => {
  test('a studio signs up, and its session is good on every core', async () => {
    const { email, session } = await account('Füchse & Co')
    const { studio, reviewer, ...rest } = await as(session).accounts.getAccount({})
    expect(studio).toMatchObject({ name: 'Füchse & Co', slug: expect.stringMatching(/^fuchse-co/), website: '' })
    expect({ email: rest.email, reviewer }).toEqual({ email, reviewer: false })
  })

  test.each([
    ['no e-mail address', { email: 'x@y' }, 'email'],
    ['no name', { studioName: ' \u200b ' }, 'studio_name'],
    ['a short password', { password: '123456789' }, 'password'],
    ['the e-mail address as password', { email: 'someone@example.org', password: 'Someone@example.org' }, 'password'],
    ['one character again and again', { password: 'aaaaaaaaaaaaaaa' }, 'password'],
  ])('sign-up is refused: %s', async (_, over, path) => {
    const given = { email: `new-${++n}@example.org`, password, studioName: 'Blue Fox', senderIp: from(), ...over }
    expect(await refusal(portal.accounts.signUp(given))).toMatchObject({ reason: Reason.INVALID, path })
  })

  test('an address has one account, whatever the case; two at once: one wins', async () => {
    const { email } = await account()
    const again = (email: string) => portal.accounts.signUp({ email, password, studioName: 'Again', senderIp: from() })
    expect(await refusal(again(email.toUpperCase()))).toMatchObject({
      reason: Reason.INVALID,
      path: 'email',
      message: expect.stringContaining('sign in'),
    })
    const outcomes = await Promise.allSettled([again('twice@example.org'), again('twice@example.org')])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('studios of one name get addresses of their own', async () => {
    const slugs = await Promise.all(
      [1, 2, 3].map(async () => (await as((await account('Same Name')).session).accounts.getAccount({})).studio!.slug),
    )
    expect(new Set(slugs)).toEqual(new Set(['same-name', 'same-name-2', 'same-name-3']))
  })

  test('sign in and out; out everywhere ends all sessions, on every core', async () => {
    const { email, session } = await account()
    const [one, two] = await Promise.all(
      [1, 2].map(() => portal.accounts.signIn({ email: ` ${email.toUpperCase()} `, password, senderIp: from() })),
    )
    await as(one!.session).accounts.signOut({})
    expect(await refusal(as(one!.session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    expect(await as(two!.session).accounts.signOutEverywhere({})).toMatchObject({ sessions: 2 })
    expect(await refusal(as(session, 0).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
  })

  test('another password needs the current one, ends the other sessions and not its own', async () => {
    const { email, session } = await account()
    const other = await portal.accounts.signIn({ email, password, senderIp: from() })
    expect(
      await refusal(
        as(session).accounts.changePassword({ currentPassword: 'wrong password', password: 'another password' }),
      ),
    ).toMatchObject({ path: 'current_password' })
    await as(session).accounts.changePassword({ currentPassword: password, password: 'another password' })
    await as(session).accounts.getAccount({})
    expect(await refusal(as(other.session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    expect(await refusal(portal.accounts.signIn({ email, password, senderIp: from() }))).toMatchObject({
      reason: Reason.UNAUTHENTICATED,
    })
    await portal.accounts.signIn({ email, password: 'another password', senderIp: from() })
  })

  test('unknown address and wrong password: the same words, about the same time', bestOfThree, async () => {
    const { email } = await account()
    const time = async (email: string) => {
      const began = performance.now()
      expect(
        await refusal(portal.accounts.signIn({ email, password: 'wrong password', senderIp: from() })),
      ).toMatchObject({ reason: Reason.UNAUTHENTICATED, message: 'The e-mail address or the password is wrong.' })
      return performance.now() - began
    }
    // in turn, and the fastest of each: a busy machine slows some down, not all
    let [known, unknown] = [Infinity, Infinity]
    const isNear = () => unknown / known > 0.5 && unknown / known < 2
    for (let i = 0; i < 7 || (i < 40 && !isNear()); i++) {
      known = Math.min(known, await time(email))
      unknown = Math.min(unknown, await time('nobody@example.org'))
    }
    expect([unknown / known, isNear()]).toEqual([expect.any(Number), true])
  })

  test('ten failed attempts lock only their sender out, on every core; a success resets the count', async () => {
    const { email } = await account()
    const sign = (password: string, senderIp: string, core = 0) =>
      system.connections[core]!.as(bearer(tokens.portal)).accounts.signIn({ email, password, senderIp })
    for (let i = 0; i < 5; i++) await refusal(sign('wrong password', '198.51.100.1', i % 2))
    await sign(password, '198.51.100.1')
    for (let i = 0; i < 10; i++)
      expect(await refusal(sign('wrong password', '198.51.100.1', i % 2))).toMatchObject({
        reason: Reason.UNAUTHENTICATED,
      })
    expect(await refusal(sign(password, '198.51.100.1'))).toMatchObject({
      reason: Reason.RATE_LIMITED,
      message: expect.stringContaining('15 minutes'),
    })
    await sign(password, '198.51.100.2')
    await system.database.sql(
      `update portal_window set started = started - interval '15 minutes' where bucket = 'sign-in'`,
    )
    await sign(password, '198.51.100.1')
  })

  test('an address with NUL is no other way to an account: attempts cannot be spread over spellings', async () => {
    const { email } = await account()
    for (const spelling of [`${email}\0`, `\0${email}`, email.replace('@', '\0@')]) {
      expect(await refusal(portal.accounts.signIn({ email: spelling, password, senderIp: from() }))).toMatchObject({
        reason: Reason.UNAUTHENTICATED,
      })
    }
  })

  test('one sender cannot lock an account: attempts refused for their sender do not count at the account', async () => {
    const { email } = await account()
    const sign = (password: string, senderIp: string) => portal.accounts.signIn({ email, password, senderIp })
    for (let i = 0; i < 10; i++) await refusal(sign('wrong password', '198.51.100.7'))
    const outcomes = await Promise.all(
      Array.from({ length: 120 }, () => refusal(sign('wrong password', '198.51.100.7'))),
    )
    expect(new Set(outcomes.map(({ reason }) => reason))).toEqual(new Set([Reason.RATE_LIMITED]))
    for (let i = 0; i < 51; i++) await sign(password, '198.51.100.8')
  })

  test('a browser that was signed in before is counted apart: strangers cannot lock it out; it has a limit', async () => {
    const { email, known } = await account()
    const other = await account()
    const sign = (password: string, known: string, senderIp = from()) =>
      portal.accounts.signIn({ email, password, senderIp, known })
    await refusal(sign('wrong password', ''))
    await system.database.sql(
      `update portal_window set count = 100 where bucket = 'sign-in-at' and started > now() - interval '1 minute'`,
    )
    // a forged mark, one of another account, one of nobody
    const forged = [
      `${known.slice(0, -3)}${known.endsWith('xxx') ? 'yyy' : 'xxx'}`,
      other.known,
      known.replace(/^./, (first) => (first === 'x' ? 'y' : 'x')),
      'x',
      '~.~',
      '.',
      `.${known.split('.')[1]}`,
    ]
    for (const mark of forged)
      expect(await refusal(sign(password, mark)), mark).toMatchObject({ reason: Reason.RATE_LIMITED })
    const again = await sign(password, `${other.known}~${known}`)
    expect(again.known).toBe(known)
    for (let i = 0; i < 10; i++)
      expect(await refusal(sign('wrong password', known))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    expect(await refusal(sign(password, known))).toMatchObject({ reason: Reason.RATE_LIMITED })
    await system.database.sql(
      `update portal_window set started = started - interval '15 minutes' where bucket like 'sign-in%'`,
    )
    await sign(password, known)
  })

  test('who is signed in can change the password while strangers have locked the account', async () => {
    const { email, session } = await account()
    await refusal(portal.accounts.signIn({ email, password: 'wrong password', senderIp: from() }))
    await system.database.sql(
      `update portal_window set count = 100 where bucket = 'sign-in-at' and started > now() - interval '1 minute'`,
    )
    for (let i = 0; i < 9; i++)
      await refusal(
        as(session).accounts.changePassword({ currentPassword: 'wrong password', password: 'another password' }),
      )
    await as(session).accounts.changePassword({ currentPassword: password, password: 'another password' })
    for (let i = 0; i < 10; i++)
      await refusal(as(session).accounts.changePassword({ currentPassword: password, password: 'a third password' }))
    expect(
      await refusal(as(session).accounts.changePassword({ currentPassword: password, password: 'a third password' })),
    ).toMatchObject({ reason: Reason.RATE_LIMITED })
  })

  test('with IPv6 a network of 64 bits is one sender; its network of 48 bits has ten times the limit', async () => {
    const attempt = (senderIp: string) =>
      refusal(portal.accounts.signIn({ email: `nobody-${++n}@example.org`, password: 'wrong password', senderIp }))
    await attempt('2001:db8:aa:1::1')
    await system.database.sql(`update portal_window set count = 50 where bucket = 'sign-in-from' and count = 1`)
    expect(await attempt('2001:db8:aa:1::2')).toMatchObject({
      reason: Reason.RATE_LIMITED,
      message: expect.stringContaining('at most 50 per'),
    })
    expect(await attempt('2001:db8:aa:2::1')).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    await system.database.sql(`update portal_window set count = 500 where bucket = 'sign-in-from' and count = 51`)
    expect(await attempt('2001:db8:aa:3::1')).toMatchObject({
      reason: Reason.RATE_LIMITED,
      message: expect.stringContaining('at most 500 per 15 minutes from your network'),
    })
    expect(await attempt('2001:db8:ab:1::1')).toMatchObject({ reason: Reason.UNAUTHENTICATED })
  })

  test('a hundred failed attempts from everywhere lock the account for strangers', async () => {
    const { email } = await account()
    const sign = (password: string, senderIp: string) => portal.accounts.signIn({ email, password, senderIp })
    await refusal(sign('wrong password', '203.0.113.1'))
    await system.database.sql(
      `update portal_window set count = 100 where bucket = 'sign-in-at' and started > now() - interval '1 minute'`,
    )
    expect(await refusal(sign(password, '203.0.113.2'))).toMatchObject({ reason: Reason.RATE_LIMITED })
    await system.database.sql(
      `update portal_window set started = started - interval '15 minutes' where bucket = 'sign-in-at'`,
    )
    await sign(password, '203.0.113.3')
  })

  test('a sign-in that the change of the password overtook is worth nothing', async () => {
    const { email, session } = await account()
    const { accounts, studioSessions } = system.cores[0]!.store
    const before = (await accounts.byEmail(email))!
    await as(session).accounts.changePassword({ currentPassword: password, password: 'another password' })
    expect(
      await studioSessions.start(before.account, before.passwordHash, Buffer.alloc(32, 1), '', false),
    ).toBeUndefined()
  })

  test('what has ended is forgotten, what has not stays', async () => {
    const { email, session } = await account()
    const { session: ended } = await portal.accounts.signIn({ email, password, senderIp: from() })
    await system.database.sql(
      `update studio_session set expires = now() - interval '1 second' where hash = sha256($1)`,
      [ended],
    )
    await system.database.sql(
      `insert into used_solution values ('old', now() - interval '1 second'), ('new', now() + interval '1 minute')`,
    )
    await system.database.sql(`insert into portal_window values ('sign-in', 'old', now() - interval '3 days', 1)`)
    const { store } = system.cores[0]!
    for (const { sweep } of [store.studioSessions, store.studioMessages, store.portalLimits]) await sweep()
    expect(await system.database.sql('select 1 from studio_session where hash = sha256($1)', [ended])).toEqual([])
    expect(await system.database.sql(`select hash from used_solution where hash in ('old', 'new')`)).toEqual([
      { hash: Buffer.from('new') },
    ])
    expect(await system.database.sql(`select 1 from portal_window where owner = 'old'`)).toEqual([])
    await as(session).accounts.getAccount({})
  })

  test('many sign-ins at once wait for their turn, and games do not wait for them', bestOfThree, async () => {
    const { email } = await account()
    const game = await addGame(system.connections, [''], tokens.admin)
    const many = Promise.allSettled(
      Array.from({ length: 12 }, (_, i) =>
        portal.accounts.signIn({ email, password, senderIp: `203.0.113.${100 + i}` }),
      ),
    )
    const first = await Promise.race([
      many.then(() => 'sign-ins'),
      game
        .rpc()
        .statements.queryStatements({ limit: 1 })
        .then(() => 'game'),
    ])
    expect(first).toBe('game')
    expect(new Set((await many).map(({ status }) => status))).toEqual(new Set(['fulfilled']))
  })

  test('a session ends by itself when it is not used, and lasts while it is', async () => {
    const { session } = await account()
    await system.database.sql(
      `update studio_session set used = now() - interval '29 days', expires = now() + interval '1 day'`,
    )
    await as(session).accounts.getAccount({})
    const [row] = await system.database.sql<{ days: number }>(
      `select max(extract(day from expires - now()))::int as days from studio_session`,
    )
    expect(row!.days).toBeGreaterThanOrEqual(29)
    await system.database.sql(`update studio_session set expires = now() - interval '1 second'`)
    expect(await refusal(as(session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
  })

  test('a session ends after half a year, however it is used; of an account the newest hundred are kept', async () => {
    const { email, session } = await account()
    await system.database.sql(
      `update studio_session set created = now() - interval '181 days' where hash = sha256($1)`,
      [session],
    )
    expect(await refusal(as(session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    await system.cores[0]!.store.studioSessions.sweep()
    expect(await system.database.sql('select 1 from studio_session where hash = sha256($1)', [session])).toEqual([])
    await system.database.sql(
      `insert into studio_session (hash, studio, used, expires)
      select sha256(('old' || n)::bytea), s.id, now() - interval '1 minute', now() + interval '1 day'
      from studio s, generate_series(1, 150) n where s.email = $1`,
      [email],
    )
    const { session: newest } = await portal.accounts.signIn({ email, password, senderIp: from() })
    await as(newest).accounts.getAccount({})
    expect((await as(newest).accounts.signOutEverywhere({})).sessions).toBe(100)
  })

  test('the profile: its website is a link of the web, texts are tidied', async () => {
    const { session } = await account()
    const { studio } = await as(session).accounts.updateStudio({
      name: '  Blue \n Fox ',
      about: 'We make\r\ngames.\n',
      website: 'bluefox.example/games',
    })
    expect(studio).toMatchObject({
      name: 'Blue Fox',
      about: 'We make\ngames.',
      website: 'https://bluefox.example/games',
    })
    for (const website of [
      'javascript:alert(1)',
      'data:text/html,x',
      'https://user:pass@x.example',
      'ftp://x.example',
    ]) {
      expect(await refusal(as(session).accounts.updateStudio({ name: 'x', about: '', website }))).toMatchObject({
        reason: Reason.INVALID,
        path: 'website',
      })
    }
  })

  test('nothing that signs in is in the database in plain', async () => {
    const { session } = await account()
    for (const table of ['studio', 'studio_session', 'portal_window', 'used_solution']) {
      const text = JSON.stringify(await system.database.sql(`select * from ${table}`))
      expect(text, table).not.toContain(session)
      expect(text, table).not.toContain(password)
      expect(text, table).not.toMatch(/192\.0\.2\./)
    }
  })

  test('admins: reviewers, passwords, the list; studios may none of that', async () => {
    const { email, session } = await account('Zebra')
    await system.admin.accounts.setReviewer({ email, reviewer: true })
    expect(await as(session).accounts.getAccount({})).toMatchObject({ reviewer: true })
    const { password: fresh } = await system.admin.accounts.resetPassword({ email })
    expect(await refusal(as(session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    await portal.accounts.signIn({ email, password: fresh, senderIp: from() })
    const { studios } = await system.admin.accounts.listStudios({})
    expect(studios.find((one) => one.email === email)).toMatchObject({
      reviewer: true,
      games: 0,
      studio: { name: 'Zebra' },
    })
    await expect(portal.accounts.listStudios({})).rejects.toMatchObject({ code: Code.PermissionDenied })
    await expect(portal.accounts.resetPassword({ email })).rejects.toMatchObject({ code: Code.PermissionDenied })
    expect(
      await refusal(system.admin.accounts.setReviewer({ email: 'nobody@example.org', reviewer: true })),
    ).toMatchObject({ reason: Reason.NOT_FOUND })
  })
})

describe('the contact form', () => {
  async function solution(): Promise<string> {
    const { json } = await portal.accounts.createChallenge({})
    const challenge = JSON.parse(json)
    return Buffer.from(
      JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }),
    ).toString('base64')
  }
  const contact = (slug: string, solution: string, senderIp: string, over = {}) =>
    portal.accounts.contactStudio({
      slug,
      senderName: 'Ana',
      senderEmail: 'ana@example.org',
      message: 'Hello!',
      solution,
      senderIp,
      ...over,
    })

  test('a solved challenge counts once, two at once: one', async () => {
    const { session } = await account('Contact Me')
    const { slug } = (await as(session).accounts.getAccount({})).studio!
    const solved = await solution()
    const outcomes = await Promise.allSettled([contact(slug, solved, from()), contact(slug, solved, from())])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await refusal(contact(slug, solved, from()))).toMatchObject({
      reason: Reason.INVALID,
      path: 'solution',
      message: expect.stringContaining('used before'),
    })
    const { messages } = await as(session).accounts.listMessages({})
    expect(messages).toMatchObject([{ senderName: 'Ana', senderEmail: 'ana@example.org', message: 'Hello!' }])
    await as(session).accounts.deleteMessage({ messageId: messages[0]!.messageId })
    expect((await as(session).accounts.listMessages({})).messages).toEqual([])
  })

  test('what is no solution: none, a wrong one, one of our own making, an edited challenge', async () => {
    const { session } = await account('Puzzle')
    const { slug } = (await as(session).accounts.getAccount({})).studio!
    const right = JSON.parse(Buffer.from(await solution(), 'base64').toString())
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
    const wrong = [
      '',
      'x',
      encode({}),
      encode(null),
      encode({ ...right, solution: {} }),
      encode({ ...right, solution: { ...right.solution, derivedKey: '00'.repeat(32) } }),
      encode({ ...right, challenge: { ...right.challenge, signature: '00'.repeat(32) } }),
      encode({
        ...right,
        challenge: { ...right.challenge, parameters: { ...right.challenge.parameters, expiresAt: 9_999_999_999 } },
      }),
    ]
    for (const one of wrong)
      expect(await refusal(contact(slug, one, from())), one).toMatchObject({ reason: Reason.INVALID, path: 'solution' })
    await contact(slug, encode(right), from())
  })

  test('five in ten minutes of one sender, a network of IPv6 being one', async () => {
    const { session } = await account('Busy')
    const { slug } = (await as(session).accounts.getAccount({})).studio!
    const outcomes = []
    for (let i = 1; i <= 6; i++)
      outcomes.push(
        await contact(slug, await solution(), `2001:db8:1:2::${i}`).then(
          () => 'sent',
          () => 'refused',
        ),
      )
    expect(outcomes).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'refused'])
    expect(await refusal(contact(slug, await solution(), '2001:db8:1:2:3:4:5:6'))).toMatchObject({
      reason: Reason.RATE_LIMITED,
      message: expect.stringMatching(
        /^Too many requests\. Public studio contact form: at most 5 per 10 minutes\. Try again in 10 minutes\.$/,
      ),
    })
    await contact(slug, await solution(), '2001:db8:1:3::1')
  })

  test('a solution of more than ten minutes ago is none; a full box takes no more', async () => {
    const { session } = await account('Full')
    const { slug } = (await as(session).accounts.getAccount({})).studio!
    const { expiresAt } = JSON.parse((await portal.accounts.createChallenge({})).json).parameters
    expect(expiresAt * 1000 - Date.now()).toBeLessThanOrEqual(600_000)
    const old = captcha(signingKey, () => Date.now() - 601_000, easyPuzzle)
    const challenge = JSON.parse(await old.challenge())
    const late = Buffer.from(
      JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }),
    ).toString('base64')
    expect(await refusal(contact(slug, late, from()))).toMatchObject({
      path: 'solution',
      message: expect.stringContaining('expired'),
    })
    await system.database.sql(
      `insert into studio_message (studio, sender_name, sender_email, message)
      select id, 'x', 'x@example.org', 'x' from studio, generate_series(1, 1000) where slug = $1`,
      [slug],
    )
    const solved = await solution()
    expect(await refusal(contact(slug, solved, from()))).toMatchObject({ reason: Reason.CONFLICT })
    const { accounts } = as(session)
    expect((await accounts.getAccount({})).messagesFull).toBe(true)
    const other = await account('Other')
    const { messages } = await accounts.listMessages({})
    const messageIds = messages.map(({ messageId }) => messageId)
    expect((await as(other.session).accounts.deleteMessages({ messageIds })).messages).toBe(0)
    expect(await refusal(accounts.deleteMessages({ messageIds: ['x'] }))).toMatchObject({ reason: Reason.INVALID })
    expect((await accounts.deleteMessages({ messageIds })).messages).toBe(200)
    expect(await accounts.getAccount({})).toMatchObject({ messagesFull: false })
    expect(await as(other.session).accounts.getAccount({})).toMatchObject({ messagesFull: false })
    await contact(slug, solved, from())
  })
})

test('usage: games, storage, builds of the day', async () => {
  const { session } = await account('Counting')
  await as(session).games.createGame({ name: 'Chess' })
  const { usage } = await as(session).quotas.getUsage({})
  expect(usage.map(({ anchor, used, limit, unit }) => ({ anchor, used, limit, unit }))).toEqual([
    { anchor: 'games', used: 1n, limit: 20n, unit: 'games' },
    { anchor: 'storage', used: 0n, limit: 25n * 1024n ** 3n, unit: 'bytes' },
    { anchor: 'buildUploadUrl', used: 0n, limit: 20n, unit: 'uploads' },
  ])
  const midnight = Number(usage[2]!.resets) * 1000
  expect(midnight - Date.now()).toBeGreaterThan(0)
  expect(midnight % 86_400_000).toBe(0)
})
