import { afterAll, beforeAll, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal } from '../support/failures.ts'
import { password, startAccounts, type Accounts } from './accounts.ts'

let { system, portal, from, as, account } = {} as Accounts
beforeAll(async () => {
  ;({ system, portal, from, as, account } = await startAccounts())
})
afterAll(() => system.close())

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
  const given = {
    email: `new-${crypto.randomUUID()}@example.org`,
    password,
    studioName: 'Blue Fox',
    senderIp: from(),
    ...over,
  }
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

test('an account has a name, which members see, and a time zone of its pages', async () => {
  const { accounts, members } = as((await account()).session)
  const set = (name: string, zone: string) => accounts.updateAccount({ name, zone })
  await set(' Ada  Lovelace ', 'Asia/Kolkata')
  expect(await accounts.getAccount({})).toMatchObject({ name: 'Ada Lovelace', zone: 'Asia/Kolkata' })
  expect((await members.listMembers({})).members).toMatchObject([{ name: 'Ada Lovelace' }])
  for (const [name, zone, path] of [
    ['a'.repeat(101), '', 'name'],
    ['Ada', 'Moon/Tranquility', 'zone'],
  ] as const)
    expect(await refusal(set(name, zone))).toMatchObject({ reason: Reason.INVALID, path })
  await set('', '')
  expect(await accounts.getAccount({})).toMatchObject({ name: '', zone: '' })
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
  for (const website of ['javascript:alert(1)', 'data:text/html,x', 'https://user:pass@x.example', 'ftp://x.example']) {
    expect(await refusal(as(session).accounts.updateStudio({ name: 'x', about: '', website }))).toMatchObject({
      reason: Reason.INVALID,
      path: 'website',
    })
  }
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
