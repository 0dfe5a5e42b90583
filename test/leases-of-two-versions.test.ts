import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../core/store/store.ts'
import type { Store } from '../core/store/store.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
let store: Store
beforeAll(async () => {
  database = await freshDatabase()
  store = openStore({ url: database.url, connections: 2, wait: 2_000, statementTimeout: 10_000 })
})
afterAll(async () => {
  await store.close()
  await database.close()
})

const before = {
  takesErasure: `update erasing set held_until = now() + interval '30 s' where held_until < now() returning 1`,
  takesGarbage: `update garbage set claimed = now() where due <= now()
    and (claimed is null or claimed < now() - interval '10 minutes') returning 1`,
  takesMail: `update mail set due = now() + interval '300 s', attempts = attempts + 1 where due <= now() returning 1`,
}
const taken = async (text: string): Promise<number> => (await database.sql(text)).length

test('of a core of the version before and one of today, one has an erasure', async () => {
  const mine = await store.erasings.begin({ key: '', relatedKey: '', identifier: '' }, crypto.randomUUID(), 60)
  expect(await taken(before.takesErasure)).toBe(0)
  await store.erasings.release(mine)
  expect(await taken(before.takesErasure)).toBe(1)
  expect(await store.erasings.lease(60)).toBeUndefined()
})

test('of a core of the version before and one of today, one removes a file', async () => {
  await store.garbage.list(['files/one'], -1)
  expect(await store.garbage.lease(600, 20)).toEqual(['files/one'])
  expect(await taken(before.takesGarbage)).toBe(0)
  await database.sql(`update garbage set leased = now() - interval '1 s'`)
  expect(await taken(before.takesGarbage)).toBe(1)
  expect(await store.garbage.lease(600, 20)).toEqual([])
})

test('of a core of the version before and one of today, one sends a mail', async () => {
  await database.sql(`insert into mail (recipient, kind, content) values ('ann@example.org', 'review', '{}')`)
  const mail = (await store.mails.lease(60))!
  expect(await taken(before.takesMail)).toBe(0)
  await store.mails.failed(mail, 'busy', -1)
  expect(await taken(before.takesMail)).toBe(1)
  expect(await store.mails.lease(60)).toBeUndefined()
})

test('of a core of the version before and one of today, one removes what is kept long enough', async () => {
  const [game] = await database.sql<{ id: number }>(`insert into game (name) values ('kept') returning id`)
  await store.retention.set(game!.id, { statements: 1, learners: null, sandbox: null })
  const mine = (await store.retention.lease(60))!
  const takes = `update retention set holder = gen_random_uuid(), held_until = now() + interval '60 s'
    where next_run <= now() and (held_until is null or held_until < now()) returning 1`
  expect(await taken(takes)).toBe(0)
  expect(await store.retention.renew(mine, 60)).toBe(true)
  await database.sql(`update retention set leased = now() - interval '1 s'`)
  expect(await taken(takes)).toBe(1)
  expect(await store.retention.renew(mine, 60)).toBe(false)
  expect(await store.retention.lease(60)).toBeUndefined()
})
