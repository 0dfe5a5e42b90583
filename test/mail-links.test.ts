import { afterAll, beforeAll, expect, test } from 'vitest'
import { MemberRole } from '../gen/lrs/v1/members_pb.js'
import { run } from './support/admin.ts'
import type { CoreClient } from './support/core-client.ts'
import { codeOf, password, senderIp, startMailed, type Mailed } from './support/mailed.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { tokens } from './support/system.ts'

let mailed: Mailed
let mailServer: Mailed['mailServer']
let system: Mailed['system']
let guest: CoreClient
let as: Mailed['as']
let member: Mailed['member']
beforeAll(async () => {
  mailed = await startMailed()
  ;({ mailServer, system, guest, as, member } = mailed)
})
afterAll(() => mailed.close())

const signIn = (email: string, secret = password, known = '') =>
  guest.accounts.signIn({ email, password: secret, senderIp, known })
const signUp = (email: string, studioName = 'Blue Fox') =>
  guest.accounts.signUp({ email, password, studioName, senderIp })

test('a sign-up makes an account when its link is used with the password, once', async () => {
  const email = 'ann@example.org'
  expect(await signUp(email)).toMatchObject({ mailed: true, session: '' })
  await expect(signIn(email)).rejects.toThrow('e-mail address or the password is wrong')
  const code = codeOf(await mailServer.next(email, /^Confirm your e-mail address$/))
  expect(await guest.links.getLink({ code })).toMatchObject({ email })

  await expect(guest.links.confirmSignUp({ code, password: 'somebody else', senderIp })).rejects.toThrow('password')
  const { session } = await guest.links.confirmSignUp({ code, password, senderIp })
  expect(await as(session).accounts.getAccount({})).toMatchObject({ email, verified: true, waits: false })
  await expect(guest.links.confirmSignUp({ code, password, senderIp })).rejects.toThrow('This link cannot be used')
  expect(mailServer.received).toEqual([])
})

test('mails have the language of the sign-up, invitations that of who invites; an account can change it', async () => {
  const email = 'anna@example.org'
  await guest.accounts.signUp({ email, password, studioName: 'Fuchs', senderIp, language: 'de' })
  const mail = await mailServer.next(email, /^Bestätigen Sie Ihre E-Mail-Adresse$/)
  expect(mail.text).toContain('Dann ist das Konto fertig.')
  const { session } = await guest.links.confirmSignUp({ code: codeOf(mail), password, senderIp })
  const { accounts, members } = as(session)
  expect(await accounts.getAccount({})).toMatchObject({ language: 'de' })
  await guest.links.sendReset({ email, senderIp, language: 'en' })
  await mailServer.next(email, /^Wählen Sie ein neues Passwort$/)
  for (const [language, subject] of [
    ['de', /^Einladung in ein Studio$/],
    ['xx', /^You are invited to a studio$/],
  ] as const) {
    await members.inviteMember({ role: MemberRole.ANALYST, email: 'new@example.org', senderIp, language })
    await mailServer.next('new@example.org', subject)
  }
  for (const language of ['en', '', 'xx']) await accounts.updateAccount({ name: '', zone: '', language })
  expect(await accounts.getAccount({})).toMatchObject({ language: 'en' })
})

test('sign-up answers the same for an address that has an account, whose owner gets word', async () => {
  await member('bea@example.org')
  const other = await signUp('new@example.org')
  expect(await signUp('bea@example.org', 'Owl')).toEqual(other)
  const mail = await mailServer.next('bea@example.org', /^You have an account already$/)
  expect(mail.links).toEqual(['https://portal.example/sign-in'])
  await mailServer.next('new@example.org', /^Confirm/)
  const [{ count }] = (await system.database.sql<{ count: number }>(
    'select count(*)::int from account where email = $1',
    ['new@example.org'],
  )) as [{ count: number }]
  expect(count).toBe(0)
})

test('a new password by a link ends every session, works once and is told', async () => {
  const { session } = await member('cleo@example.org')
  expect(await guest.links.sendReset({ email: ' Cleo@Example.org', senderIp })).toEqual(
    await guest.links.sendReset({ email: 'nobody@example.org', senderIp }),
  )
  await guest.links.sendReset({ email: 'cleo@example.org', senderIp })
  const [first, second] = [
    codeOf(await mailServer.next('cleo@example.org', /^Set a new password$/)),
    codeOf(await mailServer.next('cleo@example.org', /^Set a new password$/)),
  ]
  await expect(guest.links.usePasswordLink({ code: first, password: 'short' })).rejects.toThrow('10 characters')
  await guest.links.usePasswordLink({ code: first, password: 'another long password' })
  await expect(as(session).accounts.getAccount({})).rejects.toThrow('session has ended')
  await expect(signIn('cleo@example.org')).rejects.toThrow('wrong')
  await signIn('cleo@example.org', 'another long password')
  // the other link ended with the password that it was for
  for (const code of [first, second])
    await expect(guest.links.usePasswordLink({ code, password: 'a third long password' })).rejects.toThrow(
      'This link cannot be used',
    )
  await mailServer.next('cleo@example.org', /^Your password was changed$/)
  await mailServer.next('cleo@example.org', /^A sign-in from a browser/)
  expect(mailServer.received.filter(({ to }) => to === 'nobody@example.org')).toEqual([])
})

test('a link works for its time only, and nobody can make one up', async () => {
  await member('dora@example.org')
  await guest.links.sendReset({ email: 'dora@example.org', senderIp })
  const code = codeOf(await mailServer.next('dora@example.org', /^Set/))
  const [row] = await system.database.sql<{ seconds: number; uuid: string }>(
    `select extract(epoch from expires - now())::float8 as seconds, uuid from mail_link where purpose = 'reset'
      order by expires desc limit 1`,
  )
  expect(row!.seconds).toBeGreaterThan(29 * 60)
  expect(row!.seconds).toBeLessThanOrEqual(30 * 60)
  const id = Buffer.from(row!.uuid.replaceAll('-', ''), 'hex')
  for (const wrong of ['', row!.uuid, Buffer.concat([id, Buffer.alloc(32)]).toString('base64url'), `${code}A`])
    await expect(guest.links.getLink({ code: wrong }), wrong).rejects.toThrow('This link cannot be used')
  // a link of another kind is none
  await expect(guest.links.confirmSignUp({ code, password, senderIp })).rejects.toThrow('This link cannot be used')
  await expect(guest.links.useAddressLink({ code })).rejects.toThrow('This link cannot be used')
  await system.database.sql(`update mail_link set expires = now() where uuid = $1`, [row!.uuid])
  await expect(guest.links.usePasswordLink({ code, password })).rejects.toThrow('This link cannot be used')
})

test('neither the queue nor the links of the database hold a link that works', async () => {
  await guest.links.sendReset({ email: 'ann@example.org', senderIp })
  const mail = await mailServer.next('ann@example.org', /^Set/)
  const [{ all }] = (await system.database.sql<{ all: string }>(
    'select (select jsonb_agg(m) from mail m)::text || (select jsonb_agg(l) from mail_link l)::text as all',
  )) as [{ all: string }]
  expect(all).not.toContain(codeOf(mail))
  expect(all).not.toContain(codeOf(mail).slice(24))
})

test('an address is changed by a link to the new one; the old one is told', async () => {
  const { session } = await member('eve@example.org')
  const { links, accounts } = as(session)
  const change = (email: string, currentPassword = password) => links.sendNewAddress({ email, currentPassword })
  await expect(change('eva@example.org', 'not this one')).rejects.toThrow('current_password')
  await expect(change('eve@example.org')).rejects.toThrow('another address')
  await change('first@example.org')
  const replaced = codeOf(await mailServer.next('first@example.org', /^Confirm your new/))
  // taken addresses are answered the same, and end the link before as well
  await change('ann@example.org')
  expect((await mailServer.next('ann@example.org', /account already/)).links).toHaveLength(1)
  await expect(links.useAddressLink({ code: replaced })).rejects.toThrow()
  await change('second@example.org')
  const second = codeOf(await mailServer.next('second@example.org', /^Confirm your new/))
  await change('eva@example.org')
  await expect(links.useAddressLink({ code: second })).rejects.toThrow()
  expect((await accounts.getAccount({})).email).toBe('eve@example.org')
  const code = codeOf(await mailServer.next('eva@example.org', /^Confirm your new/))
  // who reads a mistyped address is not the account
  await expect(guest.links.useAddressLink({ code })).rejects.toThrow('Sign in first')
  const stranger = as((await member('mallory@example.org')).session)
  await expect(stranger.links.useAddressLink({ code })).rejects.toThrow('This link is of another account')
  expect(await links.useAddressLink({ code })).toMatchObject({ email: 'eva@example.org' })
  expect(await accounts.getAccount({})).toMatchObject({ email: 'eva@example.org', verified: true })
  await mailServer.next('eva@example.org', /^The e-mail address of your account was changed$/)
  const told = await mailServer.next('eve@example.org', /^The e-mail address of your account was changed$/)
  expect(told.text).not.toContain('eva@')
  await expect(signIn('eve@example.org')).rejects.toThrow('wrong')
  await signIn('eva@example.org')
})

test('the rights of a reviewer and of a member wait for a verified address, those of an owner do not', async () => {
  const owner = await addStudio(system, 'Fox')
  const other = await addStudio(system, 'Owl', { reviewer: true })
  const { sql } = system.database
  await sql(`insert into member (studio, account, role) values ($1, $2, 'developer')`, [owner.id, other.account])
  await expect(other.on().games.listReviews({})).rejects.toThrow('Only reviewers')
  await owner.on().games.createGame({ name: 'Quiz' })
  expect((await other.on().accounts.getAccount({})).waits).toBe(true)
  await other.on().games.createGame({ name: 'Own game' })
  await other.on().members.switchStudio({ studioId: await idOf(owner) })
  await expect(other.on().games.listGames({})).rejects.toThrow('Verify your e-mail address first')

  await other.on().links.sendVerification({})
  await guest.links.useAddressLink({ code: codeOf(await mailServer.next(other.email, /^Verify/)) })
  expect((await other.on().games.listGames({})).games).toHaveLength(1)
  await other.on().games.listReviews({})
  await expect(other.on().links.sendVerification({})).rejects.toThrow('verified already')
})

const idOf = async (studio: Studio): Promise<string> => (await studio.on().accounts.getAccount({})).studio!.studioId

test('a sign-in from a known browser is not told, one from another browser is', async () => {
  const { known } = await member('finn@example.org')
  await signIn('finn@example.org', password, known)
  const { session } = await signIn('finn@example.org')
  await mailServer.next('finn@example.org', /^A sign-in from a browser that was not used before$/)
  expect(mailServer.received.filter(({ to }) => to === 'finn@example.org')).toEqual([])
  expect((await as(session).notices.listNotifications({})).notifications).toHaveLength(1)
})

test('one address gets five links of a kind an hour, and nobody who asks learns that', async () => {
  await member('gus@example.org')
  for (let n = 0; n < 6; n++) await guest.links.sendReset({ email: 'gus@example.org', senderIp })
  const [{ count }] = (await system.database.sql<{ count: number }>(
    `select count(*)::int from mail_link where email = 'gus@example.org' and purpose = 'reset'`,
  )) as [{ count: number }]
  expect(count).toBe(5)
  mailServer.received.length = 0
})

test('a decision, a message and a quota are told to those who make the games', async () => {
  const studio = await addStudio(system, 'Newt')
  const { games, notices } = studio.on()
  const { gameId } = await games.createGame({ name: 'Quiz' })
  await games.updateGame({ gameId, name: 'Quiz', summary: 'A quiz.', description: '' })
  const buildId = await stageBuild(system, gameId)
  await games.submitForReview({ gameId, message: '' })
  await system.admin.games.decideReview({ gameId, buildId, approved: false, note: 'Too loud.' })
  await system.admin.quotas.setQuota({ studio: studio.slug, name: 'games', limit: 2n })
  await games.createGame({ name: 'Second' })
  const { notifications } = await notices.listNotifications({})
  expect(notifications.map(({ title, body }) => [title, body.split('\n').at(-1)])).toEqual([
    ['A quota is nearly used up', expect.stringContaining('When it is used up')],
    ['Quiz was not approved', 'Too loud.'],
  ])
  expect((await studio.on().accounts.getAccount({})).unread).toBe(2)
  await notices.markNotifications({ notificationIds: [notifications[0]!.notificationId] })
  expect((await studio.on().accounts.getAccount({})).unread).toBe(1)
  await notices.markNotifications({ notificationIds: [notifications[0]!.notificationId], unread: true })
  expect((await studio.on().accounts.getAccount({})).unread).toBe(2)
  await notices.markNotifications({})
  expect((await studio.on().accounts.getAccount({})).unread).toBe(0)
  // of others nothing is marked
  const stranger = await addStudio(system, 'Cat')
  await stranger.on().notices.markNotifications({
    notificationIds: notifications.map(({ notificationId }) => notificationId),
    unread: true,
  })
  expect((await studio.on().accounts.getAccount({})).unread).toBe(0)
})

test('a daily limit that is nearly used up is told once a day', async () => {
  const studio = await addStudio(system, 'Toad')
  await system.database.sql(
    `insert into portal_window values ('buildUploadUrl', $1, date_trunc('day', now(), 'UTC'), 19)`,
    [await idOf(studio)],
  )
  for (const name of ['One', 'Two']) await studio.on().games.createGame({ name })
  const { notifications } = await studio.on().notices.listNotifications({})
  expect(notifications.map(({ title }) => title)).toEqual(['A daily limit is nearly used up'])
  expect(notifications[0]!.body).toContain('95 % of today')
})

test('an account keeps the newest 200 notices', async () => {
  const studio = await addStudio(system, 'Many')
  const text = (n: number) => ({ title: `${n}`, lines: [], path: '/', action: '' })
  const { notices } = system.cores[0]!
  for (let n = 0; n < 203; n++) await notices.tell({ accounts: [studio.account] }, 'team', text(n))
  const { notifications } = await studio.on().notices.listNotifications({})
  expect([notifications.length, notifications[0]!.title, notifications.at(-1)!.title]).toEqual([200, '202', '3'])
  expect((await studio.on().accounts.getAccount({})).unread).toBe(100)
})

test('mails of safety cannot be turned off, others can', async () => {
  const { session } = await member('ida@example.org')
  const { notices } = as(session)
  await expect(notices.setMutedKinds({ kinds: ['security'] })).rejects.toThrow('can be turned off')
  await expect(notices.setMutedKinds({ kinds: ['none'] })).rejects.toThrow('can be turned off')
  await notices.setMutedKinds({ kinds: ['review', 'quota'] })
  await notices.setMutedKinds({ kinds: ['review'] })
  const { kinds, mailed } = await notices.listNoticeKinds({})
  expect([mailed, kinds.filter(({ muted }) => muted).map(({ kind }) => kind)]).toEqual([true, ['review']])
})

test('admins see the queue without contents', async () => {
  const { mails, on } = await system.admin.notices.listMails({})
  expect(on).toBe(true)
  expect(mails.length).toBeGreaterThan(10)
  expect(
    Object.keys(mails[0]!)
      .filter((key) => !key.startsWith('$'))
      .toSorted(),
  ).toEqual(['attempts', 'created', 'due', 'failure', 'kind', 'mailId', 'recipient', 'state'].toSorted())
})

test('the command line lists mails and tries them again', async () => {
  const env = { LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`, LRS_SERVICE_TOKEN: tokens.admin }
  const said = (...args: string[]) => run(args, { env })
  mailServer.refuse(451)
  await system.cores[0]!.notices.write('cli@example.org', 'team', { title: 'x', lines: [], path: '/', action: '' })
  const waits = async () => (await said('mail', 'list', '--waiting')).out
  await expect.poll(waits).toContain('cli@example.org')
  await expect.poll(waits).toContain('does not take mails at the moment')
  mailServer.refuse(0)
  expect((await said('mail', 'retry')).out).toMatch(/^Tried again now: [1-9]\d* mails?\.$/)
  await mailServer.next('cli@example.org', /x/)
})
