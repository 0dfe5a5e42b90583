import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { openStore, type Store } from '../../store.ts'

let database: TestDatabase
let stores: Store[]
beforeAll(async () => {
  database = await freshDatabase()
  stores = [1, 2].map(() => openStore({ url: database.url, connections: 2, wait: 2_000, statementTimeout: 10_000 }))
})
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
  await database.close()
})
beforeEach(() => database.sql('delete from mail'))

const write = (recipient: string) =>
  stores[0]!.mails.add({ recipient }, 'review', { title: '', lines: [], path: '', action: '' })
const lease = (core: number) => stores[core]!.mails.lease(60)

test('cores that look at once take different rows, each once', async () => {
  for (let n = 0; n < 8; n++) await write(`${n}@example.org`)
  const taken = await Promise.all(Array.from({ length: 12 }, (_, n) => lease(n % 2)))
  const recipients = taken.flatMap((mail) => mail?.recipient ?? [])
  expect(recipients.toSorted()).toEqual(Array.from({ length: 8 }, (_, n) => `${n}@example.org`))
})

test('a core that shows no sign of life loses its row, and notices', async () => {
  await write('ann@example.org')
  const first = await lease(0)
  expect(await lease(1)).toBeUndefined()
  expect(await stores[0]!.mails.renew(first!, -1)).toBe(true)
  const second = await lease(1)
  expect(second).toMatchObject({ recipient: 'ann@example.org', attempts: 2 })
  expect(await stores[0]!.mails.renew(first!, 60)).toBe(false)
  await stores[0]!.mails.release(first!)
  await stores[0]!.mails.sent(first!)
  expect(await lease(0)).toBeUndefined()
  expect(await stores[1]!.mails.renew(second!, 60)).toBe(true)
  await stores[1]!.mails.release(second!)
  expect(await lease(0)).toMatchObject({ attempts: 3 })
})
