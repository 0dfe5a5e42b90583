import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database } from '../core/process/database/database.ts'
import { hostsOf } from '../core/process/database/hosts.ts'
import { Refusal } from '../core/process/refusal.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.close())

const one = { name: 'one', text: 'select 1 as one' }

/** The address of this database on several servers: sockets in these folders, undefined for where it is. */
function on(folders: readonly (string | undefined)[], parameters: Record<string, string> = {}): string {
  const [path, query] = database.url.split('?') as [string, string]
  const all = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(query)), ...parameters })
  all.set('host', folders.map((folder) => folder ?? all.get('host')!).join(','))
  return `${path}?${all}`
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const opened = openDatabase({ url, connections: 2, wait: 2_000, statementTimeout: 5_000 })
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

test('core finds the server that answers among several, and remembers it', async () => {
  const url = on(['/nowhere-1', '/nowhere-2', undefined])
  const rows = await withDatabase(url, (opened) => opened.run(one, []))
  expect(rows).toEqual([{ one: 1 }])
  expect(hostsOf(url).current).toBe(on([undefined]))
})

test('a server that takes no writes is passed by with read-write, and used with primary', async () => {
  const readOnly = { options: '-c default_transaction_read_only=on' }
  const connect = async (attributes: string) => {
    const hosts = hostsOf(on(['/nowhere', undefined], { ...readOnly, target_session_attrs: attributes }))
    const client = await hosts.connect({ connectionTimeoutMillis: 2_000 })
    await client.end()
    return hosts.current
  }
  expect(await connect('primary')).toContain(on([undefined]).split('host=')[1])
  await expect(connect('read-write')).rejects.toThrow()
})

test('when none answers, the call is refused as with one server', async () => {
  const failed = withDatabase(on(['/nowhere-3', '/nowhere-4']), (opened) => opened.run(one, []))
  await expect(failed).rejects.toBeInstanceOf(Refusal)
  await expect(failed).rejects.toMatchObject({ reason: 'unavailable' })
})
