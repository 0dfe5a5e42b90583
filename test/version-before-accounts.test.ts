import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeOver } from '../core/store.ts'
import { openDatabase } from '../core/process/database/database.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let opened: ReturnType<typeof openDatabase>
let store: ReturnType<typeof storeOver>
beforeAll(async () => {
  database = await freshDatabase()
  opened = openDatabase({ url: database.url, connections: 2, wait: 5_000, statementTimeout: 5_000 })
  store = storeOver(opened)
})
afterAll(async () => {
  await opened.close()
  await database.close()
})

const token = (name: string): Buffer => hash('sha256', name, 'buffer')
/** What the version before finds of a studio. */
const seen = async (slug: string) =>
  (
    await database.sql<{ id: number; email: string; password_hash: string; reviewer: boolean }>(
      'select id, email, password_hash, reviewer from studio where slug = $1',
      [slug],
    )
  )[0]!
/** As the version before signs up. */
const signUpBefore = (email: string, slug: string) =>
  database.sql<{ id: number }>(
    `insert into studio (email, password_hash, name, slug) values ($1, 'hash', 'Fox', $2)
      on conflict (email) do nothing returning id`,
    [email, slug],
  )
const signUp = (email: string, slug: string) =>
  opened.transaction(async (run) => {
    const account = (await store.accounts.add(run, email, 'hash'))!
    const studio = await store.studios.add(run, slug, 'studio')
    await store.members.add(run, studio, account, 'owner')
    return { account, studio }
  })

test('an account and a session of the version before are good in this one, and follow what it changes', async () => {
  const [studio] = await signUpBefore('fox@example.org', 'fox')
  await database.sql(`insert into studio_session (hash, studio, expires) values ($1, $2, now() + interval '1 day')`, [
    token('fox'),
    studio!.id,
  ])
  expect(await store.studioSessions.find(token('fox'))).toMatchObject({
    email: 'fox@example.org',
    studio: studio!.id,
    role: 'owner',
    reviewer: false,
  })
  await database.sql(`update studio set password_hash = 'other', reviewer = true where id = $1`, [studio!.id])
  expect(await store.accounts.byEmail('fox@example.org')).toMatchObject({ passwordHash: 'other', reviewer: true })
})

test('the version before sees what this one adds and changes', async () => {
  const { account } = await signUp('owl@example.org', 'owl')
  expect(await seen('owl')).toMatchObject({ email: 'owl@example.org', password_hash: 'hash', reviewer: false })
  await store.accounts.setPassword(account, 'hash', 'other', null)
  await store.accounts.setReviewer('owl@example.org', true)
  expect(await seen('owl')).toMatchObject({ password_hash: 'other', reviewer: true })
})

test('the version before cannot sign up with the address of an account', async () => {
  await opened.transaction((run) => store.accounts.add(run, 'guest@example.org', 'hash'))
  await expect(signUpBefore('guest@example.org', 'guest')).rejects.toThrow('account_email_key')
  expect(await signUpBefore('fox@example.org', 'fox-2')).toEqual([])
})

test('who does not own a studio any more cannot sign in to it with the version before', async () => {
  const { account, studio } = await signUp('old@example.org', 'handed-over')
  const heir = (await opened.transaction((run) => store.accounts.add(run, 'heir@example.org', 'heirs')))!
  await opened.transaction((run) => store.members.add(run, studio, heir, 'analyst'))
  expect(await seen('handed-over')).toMatchObject({ email: 'old@example.org' })
  await database.sql(`update member set role = 'owner' where studio = $1 and account = $2`, [studio, heir])
  await database.sql(`update member set role = 'developer' where studio = $1 and account = $2`, [studio, account])
  expect(await seen('handed-over')).toMatchObject({ email: 'heir@example.org', password_hash: 'heirs' })
  await database.sql('delete from member where studio = $1', [studio])
  expect(await seen('handed-over')).toMatchObject({ email: null, password_hash: '' })
})
