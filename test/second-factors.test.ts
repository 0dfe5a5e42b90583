import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FailureSchema, Reason, Subject } from '../gen/lrs/v1/failure_pb.js'
import { authenticator, type Faults } from './support/authenticator.ts'
import type { CoreClient } from './support/core-client.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

const password = 'correct horse battery'
const origin = 'https://studio.example'
const binding = 'a secret of the browser'

let system: System
let portal: CoreClient
let n = 0
beforeAll(async () => {
  system = await startSystem({ cores: 1, gateways: 0, secondFactor: 'staff' })
  portal = system.connections[0]!.as(bearer(tokens.portal))
})
afterAll(() => system.close())

const senderIp = () => `192.0.2.${++n % 250}`
const as = (session: string): CoreClient =>
  system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session })
const signIn = (email: string, known = '') =>
  portal.accounts.signIn({ email, password, senderIp: senderIp(), known, userAgent: 'Firefox/1 (Windows)' })

async function account() {
  const email = `person-${++n}@example.org`
  const signedUp = await portal.accounts.signUp({ email, password, studioName: 'Fox', senderIp: senderIp() })
  return { email, known: signedUp.known, session: signedUp.session, me: as(signedUp.session) }
}

async function refusal(call: Promise<unknown>): Promise<{ reason: Reason; subject: Subject; message: string }> {
  const error = await call.then(
    () => expect.fail('it was not refused'),
    (error) => error,
  )
  return error.findDetails(FailureSchema)[0]
}

/** The code of an app, some steps of 30 seconds from now. */
const code = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })
const wrongFor = (secret: string): string => {
  const good = [-2, -1, 0, 1, 2].map((steps) => code(secret, steps))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((one) => !good.includes(one))!
}
/** Steps that were accepted are free again. */
const forgetSteps = (email: string) =>
  system.database.sql('update totp set step = 0 from account a where a.id = account and a.email = $1', [email])

async function withTotp() {
  const person = await account()
  const { secret, address } = await person.me.signIn.beginTotp({})
  const { recoveryCodes } = await person.me.signIn.confirmTotp({ code: code(secret) })
  await forgetSteps(person.email)
  return { ...person, secret, address, recoveryCodes }
}

async function withPasskey(faults: Faults = {}) {
  const person = await account()
  const device = authenticator(origin)
  const { options } = await person.me.signIn.beginPasskey({ origin })
  const passkey = device.create(options, faults)
  const { recoveryCodes } = await person.me.signIn.addPasskey({ origin, name: 'My phone', passkey })
  return { ...person, device, recoveryCodes }
}

describe('an authenticator app', () => {
  test('counts once a code has confirmed it, and ends the sessions that began without it', async () => {
    const { email, me, session } = await account()
    const other = as((await signIn(email)).session)
    const { secret, address } = await me.signIn.beginTotp({})
    expect(address).toContain(`secret=${secret}`)
    expect((await me.signIn.beginTotp({})).secret).toBe(secret)
    const [row] = await system.database.sql<{ secret: Buffer }>(
      'select t.secret from totp t join account a on a.id = t.account where a.email = $1',
      [email],
    )
    expect(row!.secret.includes(secret)).toBe(false)
    expect(await refusal(me.signIn.confirmTotp({ code: wrongFor(secret) }))).toMatchObject({ reason: Reason.INVALID })
    expect((await signIn(email)).pending).toBe('')
    const { recoveryCodes } = await me.signIn.confirmTotp({ code: code(secret) })
    expect(recoveryCodes).toHaveLength(10)
    expect(await refusal(other.accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    expect(await me.signIn.getSignInSettings({})).toMatchObject({ totp: true, recoveryCodes: 10, fresh: true })
    expect(await refusal(me.signIn.beginTotp({}))).toMatchObject({ reason: Reason.CONFLICT })
    expect(await signIn(email)).toMatchObject({
      session: '',
      pending: expect.stringMatching(/^.+$/),
      totp: true,
      passkey: false,
    })
    expect((await as(session).signIn.listSessions({})).sessions).toHaveLength(1)
  })

  test('each code signs in once, and so does each recovery code', async () => {
    const { email, secret, recoveryCodes } = await withTotp()
    const finish = async (code: string) =>
      portal.signIn.finishSignIn({ pending: (await signIn(email)).pending, code, userAgent: 'curl/8' })
    const now = code(secret)
    const { session, known } = await finish(now)
    expect(await as(session).accounts.getAccount({})).toMatchObject({ email })
    expect(known).not.toBe('')
    expect(await refusal(finish(now))).toMatchObject({ message: expect.stringMatching(/wrong, or was used before/) })
    expect(await refusal(finish(code(secret, -1)))).toMatchObject({ reason: Reason.INVALID })
    await finish(code(secret, 1))
    const [first = ''] = recoveryCodes
    await finish(first.toUpperCase().replaceAll('-', ' '))
    expect(await refusal(finish(first))).toMatchObject({ reason: Reason.INVALID })
    expect((await as(session).signIn.getSignInSettings({})).recoveryCodes).toBe(9)
  })

  test('a code that two requests show at once signs in one of them', async () => {
    const { email, secret } = await withTotp()
    const { pending } = await signIn(email)
    const both = await Promise.allSettled([1, 2].map(() => portal.signIn.finishSignIn({ pending, code: code(secret) })))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('the second step needs the first: a foreign, changed or old one is worth nothing', async () => {
    const { email, secret, me } = await withTotp()
    const { pending } = await signIn(email)
    const [text = '', ends, ...rest] = pending.split('.')
    const foreign = Buffer.from(Buffer.from(text, 'base64url').toString().replace(/\d+/, '1')).toString('base64url')
    for (const wrong of ['x', [foreign, ends, ...rest].join('.'), [text, Number(ends) + 600, ...rest].join('.')])
      expect(await refusal(portal.signIn.finishSignIn({ pending: wrong, code: code(secret) })), wrong).toMatchObject({
        reason: Reason.UNAUTHENTICATED,
        message: expect.stringMatching(/Start again/),
      })
    await me.accounts.changePassword({ currentPassword: password, password: 'another horse battery' })
    expect(await refusal(portal.signIn.finishSignIn({ pending, code: code(secret) }))).toMatchObject({
      reason: Reason.UNAUTHENTICATED,
    })
  })

  test('wrong codes are bounded; a browser that is known is not locked out by others', async () => {
    const { email, secret, known } = await withTotp()
    const finish = async (code: string, known = '') =>
      portal.signIn.finishSignIn({ pending: (await signIn(email, known)).pending, code })
    const wrong = wrongFor(secret)
    for (let tries = 0; tries < 10; tries++)
      expect(await refusal(finish(wrong))).toMatchObject({ reason: Reason.INVALID })
    expect(await refusal(finish(code(secret)))).toMatchObject({
      reason: Reason.RATE_LIMITED,
      message: expect.stringMatching(/Wrong second factors at one account: at most 10 per hour/),
    })
    await finish(code(secret), known)
  })
})

describe('a passkey', () => {
  test('signs in alone, and as second factor', async () => {
    const { email, device, me, recoveryCodes } = await withPasskey()
    expect(recoveryCodes).toHaveLength(10)
    const { options } = await portal.signIn.beginPasskeySignIn({ origin, binding })
    expect(JSON.parse(options)).toMatchObject({ rpId: 'studio.example', userVerification: 'required' })
    const shown = { origin, binding, passkey: device.get(options), senderIp: senderIp(), userAgent: 'curl/8' }
    const { session } = await portal.signIn.signInWithPasskey(shown)
    expect(await as(session).accounts.getAccount({})).toMatchObject({ email })
    expect(await refusal(portal.signIn.signInWithPasskey(shown))).toMatchObject({ reason: Reason.INVALID })

    const { pending, passkey } = await signIn(email)
    expect(passkey).toBe(true)
    const second = await portal.signIn.beginPasskeySignIn({ origin, pending })
    expect(JSON.parse(second.options).allowCredentials).toHaveLength(1)
    const finished = await portal.signIn.finishSignIn({ pending, origin, passkey: device.get(second.options) })
    expect(await as(finished.session).accounts.getAccount({})).toMatchObject({ email })
    const { passkeys } = await me.signIn.getSignInSettings({})
    expect(passkeys).toMatchObject([{ name: 'My phone' }])
    expect(Number(passkeys[0]!.lastUsed)).toBeGreaterThan(Date.now() / 1000 - 600)
  })

  test.each<[string, Faults]>([
    ['of another origin', { origin: 'https://studio.example.evil.test' }],
    ['of another host', { host: 'evil.test' }],
    ['of a person that was not verified', { isVerified: false }],
    ['with a challenge of nobody', { challenge: Buffer.from('guessed').toString('base64url') }],
    ['with a forged signature', { isForged: true }],
    ['with a counter that goes back', { counter: 0 }],
    ['for another account', { userHandle: Buffer.alloc(16, 1).toString('base64url') }],
  ])('%s is refused', async (_what, faults) => {
    const { device } = await withPasskey()
    const begin = async () => (await portal.signIn.beginPasskeySignIn({ origin, binding })).options
    const show = (passkey: string) =>
      portal.signIn.signInWithPasskey({ origin, binding, passkey, senderIp: senderIp(), userAgent: '' })
    await show(device.get(await begin()))
    expect(await refusal(show(device.get(await begin(), faults)))).toMatchObject({ reason: Reason.INVALID })
    await show(device.get(await begin()))
  })

  test('of another browser, session or account is refused', async () => {
    const { device, email, me } = await withPasskey()
    const other = await withPasskey()
    const { options } = await portal.signIn.beginPasskeySignIn({ origin, binding })
    const shown = { origin, passkey: device.get(options), senderIp: senderIp(), userAgent: '' }
    const elsewhere = { ...shown, binding: 'a secret of another browser' }
    expect(await refusal(portal.signIn.signInWithPasskey(elsewhere))).toMatchObject({ reason: Reason.INVALID })

    const { pending } = await signIn(email)
    const second = await portal.signIn.beginPasskeySignIn({ origin, pending })
    const foreign = { pending, origin, passkey: other.device.get(second.options) }
    expect(await refusal(portal.signIn.finishSignIn(foreign))).toMatchObject({ reason: Reason.INVALID })

    const confirmation = await me.signIn.beginConfirmation({ origin })
    const answer = device.get(confirmation.options)
    expect(await refusal(other.me.signIn.confirm({ origin, passkey: answer }))).toMatchObject({
      reason: Reason.INVALID,
    })
    await me.signIn.confirm({ origin, passkey: answer })
  })

  test.each<[string, Faults]>([
    ['of another origin', { origin: 'https://evil.test' }],
    ['of a person that was not verified', { isVerified: false }],
    ['with another challenge', { challenge: Buffer.from('guessed').toString('base64url') }],
    ['with an attestation that nobody asked for', { format: 'android-safetynet' }],
  ])('%s is not added', async (_what, faults) => {
    const [error] = await Promise.allSettled([withPasskey(faults)])
    expect(error).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringMatching(/passkey: was not accepted/) },
    })
  })

  test('needs https, and text that is no answer is refused', async () => {
    const { me } = await account()
    for (const wrong of ['', 'http://studio.example', 'http://127.0.0.1:8081', 'https://studio.example/x', 'nonsense'])
      expect(await refusal(me.signIn.beginPasskey({ origin: wrong })), wrong).toMatchObject({ reason: Reason.INVALID })
    await me.signIn.beginPasskey({ origin: 'http://localhost:8081' })
    for (const passkey of ['', '{}', '[]', 'null', '{"id":1,"response":{"clientDataJSON":"e30"}}', '{"response":{}}']) {
      expect(await refusal(me.signIn.addPasskey({ origin, name: 'x', passkey })), passkey).toMatchObject({
        reason: Reason.INVALID,
      })
      const shown = { origin, binding, passkey, senderIp: senderIp(), userAgent: '' }
      expect(await refusal(portal.signIn.signInWithPasskey(shown)), passkey).toMatchObject({ reason: Reason.INVALID })
    }
  })
})

describe('changes of factors', () => {
  const stale = (email: string) =>
    system.database.sql(
      `update studio_session n set proved = now() - interval '16 minutes' from account a
        where a.id = n.account and a.email = $1`,
      [email],
    )

  test('need a fresh sign-in, or a second factor', async () => {
    const { email, me, secret, recoveryCodes } = await withTotp()
    await stale(email)
    const changes = [
      () => me.signIn.beginTotp({}),
      () => me.signIn.confirmTotp({ code: '123456' }),
      () => me.signIn.removeTotp({}),
      () => me.signIn.renewRecoveryCodes({}),
      () => me.signIn.beginPasskey({ origin }),
      () => me.signIn.addPasskey({ origin, name: 'x', passkey: '{}' }),
      () => me.signIn.removePasskey({ passkeyId: crypto.randomUUID() }),
    ]
    for (const change of changes)
      expect(await refusal(change())).toMatchObject({ reason: Reason.FORBIDDEN, subject: Subject.CONFIRMATION })
    expect(await refusal(me.signIn.confirm({ password }))).toMatchObject({ reason: Reason.INVALID })
    await me.signIn.confirm({ code: code(secret) })
    const renewed = await me.signIn.renewRecoveryCodes({})
    expect(renewed.recoveryCodes).toHaveLength(10)
    await stale(email)
    expect(await refusal(me.signIn.confirm({ code: recoveryCodes[0]! }))).toMatchObject({ reason: Reason.INVALID })
    await me.signIn.confirm({ code: renewed.recoveryCodes[0]! })
    await me.signIn.removeTotp({})
    expect(await me.signIn.getSignInSettings({})).toMatchObject({ totp: false, recoveryCodes: 0 })
    expect((await signIn(email)).session).not.toBe('')
  })

  test('of an account without one need the password', async () => {
    const { email, me } = await account()
    await stale(email)
    expect(await refusal(me.signIn.beginTotp({}))).toMatchObject({ subject: Subject.CONFIRMATION })
    expect(await refusal(me.signIn.confirm({ password: 'wrong password' }))).toMatchObject({ reason: Reason.INVALID })
    await me.signIn.confirm({ password })
    await me.signIn.beginTotp({})
  })

  test('a passkey of another account is not removed; the last factor takes the recovery codes with it', async () => {
    const [mine, other] = [await withPasskey(), await withPasskey()]
    const { passkeyId } = (await mine.me.signIn.getSignInSettings({})).passkeys[0]!
    expect(await refusal(other.me.signIn.removePasskey({ passkeyId }))).toMatchObject({ reason: Reason.NOT_FOUND })
    const setHash = (hash: string | null) =>
      system.database.sql('update account set password_hash = $2 where email = $1', [mine.email, hash])
    await setHash(null)
    const last = await refusal(mine.me.signIn.removePasskey({ passkeyId }))
    expect(last).toMatchObject({ reason: Reason.CONFLICT, message: expect.stringContaining('only way to sign in') })
    await setHash('any')
    await mine.me.signIn.removePasskey({ passkeyId })
    expect(await mine.me.signIn.getSignInSettings({})).toMatchObject({ passkeys: [], recoveryCodes: 0 })
  })
})

describe('sessions', () => {
  test('are listed with device and time; one ends, or all others', async () => {
    const { email, me } = await account()
    const [second, third] = [await signIn(email), await signIn(email)]
    const { sessions } = await me.signIn.listSessions({})
    expect(sessions.map(({ device, own }) => [device, own]).toSorted()).toEqual([
      ['Firefox on Windows', false],
      ['Firefox on Windows', false],
      ['Unknown browser', true],
    ])
    for (const { created, lastUsed } of sessions)
      for (const at of [created, lastUsed]) expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(600)
    const own = (await as(second.session).signIn.listSessions({})).sessions.find(({ own }) => own)!
    const stranger = await account()
    const { sessionId } = own
    expect(await refusal(stranger.me.signIn.endSession({ sessionId }))).toMatchObject({ reason: Reason.NOT_FOUND })
    await me.signIn.endSession({ sessionId })
    expect(await refusal(as(second.session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    expect(await me.signIn.endOtherSessions({})).toMatchObject({ sessions: 1 })
    expect(await refusal(as(third.session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    await me.accounts.getAccount({})
  })
})

describe('where admins and reviewers need a second factor', () => {
  test('a reviewer without one can do nothing but set it up', async () => {
    const { email, me } = await account()
    await me.games.listGames({})
    await system.admin.accounts.setReviewer({ email, reviewer: true })
    expect(await me.accounts.getAccount({})).toMatchObject({ needsSecondFactor: true })
    for (const call of [() => me.games.listGames({}), () => me.games.listReviews({}), () => me.quotas.getUsage({})])
      expect(await refusal(call())).toMatchObject({ reason: Reason.FORBIDDEN, subject: Subject.SECOND_FACTOR })
    const { secret } = await me.signIn.beginTotp({})
    await me.signIn.confirmTotp({ code: code(secret) })
    await me.games.listReviews({})
    expect(await me.accounts.getAccount({})).toMatchObject({ needsSecondFactor: false, reviewer: true })
    await me.signIn.removeTotp({})
    expect(await refusal(me.games.listReviews({}))).toMatchObject({ subject: Subject.SECOND_FACTOR })
  })

  test('an admin resets the factors of somebody who has lost them; the sessions end', async () => {
    const { email, me } = await withTotp()
    expect(await system.admin.signIn.resetSecondFactor({ email })).toMatchObject({ sessions: 1 })
    expect(await refusal(me.accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    expect((await signIn(email)).session).not.toBe('')
    expect(await refusal(system.admin.signIn.resetSecondFactor({ email: 'nobody@example.org' }))).toMatchObject({
      reason: Reason.NOT_FOUND,
    })
  })
})
