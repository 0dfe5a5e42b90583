import { afterAll, beforeAll, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal } from '../support/failures.ts'
import { password, startAccounts, type Accounts } from './accounts.ts'

let { system, portal, from, as, account } = {} as Accounts
beforeAll(async () => {
  ;({ system, portal, from, as, account } = await startAccounts())
})
afterAll(() => system.close())

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
  await system.database.sql(`update studio_session set expires = now() - interval '1 second' where hash = sha256($1)`, [
    ended,
  ])
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
  await system.database.sql(`update studio_session set created = now() - interval '181 days' where hash = sha256($1)`, [
    session,
  ])
  expect(await refusal(as(session).accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
  await system.cores[0]!.store.studioSessions.sweep()
  expect(await system.database.sql('select 1 from studio_session where hash = sha256($1)', [session])).toEqual([])
  await system.database.sql(
    `insert into studio_session (hash, studio, used, expires)
      select sha256(('old' || n)::bytea), s.id, now() - interval '1 minute', now() + interval '1 day' from studio s, generate_series(1, 150) n where s.email = $1`,
    [email],
  )
  const { session: newest } = await portal.accounts.signIn({ email, password, senderIp: from() })
  await as(newest).accounts.getAccount({})
  expect((await as(newest).accounts.signOutEverywhere({})).sessions).toBe(100)
})
