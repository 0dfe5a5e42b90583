import { afterAll, beforeAll, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { addGame } from '../support/games.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { bestOfThree } from '../support/cost.ts'
import { refusal } from '../support/failures.ts'
import { password, startAccounts, type Accounts } from './accounts.ts'

let { system, portal, from, as, account } = {} as Accounts
beforeAll(async () => {
  ;({ system, portal, from, as, account } = await startAccounts())
})
afterAll(() => system.close())

test('ten failed attempts of one sender lock that sender out, on every core, and nobody else; a success resets the count', async () => {
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

test('an address with NUL is no other way to an account, so attempts cannot be spread over many spellings', async () => {
  const { email } = await account()
  for (const spelling of [`${email}\0`, `\0${email}`, email.replace('@', '\0@')]) {
    expect(await refusal(portal.accounts.signIn({ email: spelling, password, senderIp: from() }))).toMatchObject({
      reason: Reason.UNAUTHENTICATED,
    })
  }
})

test('one sender alone cannot lock an account; attempts refused for their sender do not count at the account', async () => {
  const { email } = await account()
  const sign = (password: string, senderIp: string) => portal.accounts.signIn({ email, password, senderIp })
  for (let i = 0; i < 10; i++) await refusal(sign('wrong password', '198.51.100.7'))
  const outcomes = await Promise.all(Array.from({ length: 120 }, () => refusal(sign('wrong password', '198.51.100.7'))))
  expect(new Set(outcomes.map(({ reason }) => reason))).toEqual(new Set([Reason.RATE_LIMITED]))
  for (let i = 0; i < 51; i++) await sign(password, '198.51.100.8')
})

test('a browser that was signed in before is counted apart: strangers cannot lock it out, and it cannot try for ever', async () => {
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

test('with IPv6 a network of 64 bits is one sender, and the one of 48 bits around it has ten times as much', async () => {
  const attempt = (senderIp: string) =>
    refusal(
      portal.accounts.signIn({
        email: `nobody-${crypto.randomUUID()}@example.org`,
        password: 'wrong password',
        senderIp,
      }),
    )
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

test('many sign-ins at once wait for their turn, and games do not wait for them', bestOfThree, async () => {
  const { email } = await account()
  const game = await addGame(system.connections, [''], tokens.admin)
  const many = Promise.allSettled(
    Array.from({ length: 12 }, (_, i) => portal.accounts.signIn({ email, password, senderIp: `203.0.113.${100 + i}` })),
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
