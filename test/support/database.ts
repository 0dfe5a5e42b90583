import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { databaseUrl, templateName } from './template.ts'

export interface TestDatabase {
  readonly url: string
  /** Runs SQL past the store. */
  sql<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** A database with the schema of core and no rows, copied from the template of this run; `close` drops it. */
export const freshDatabase = (): Promise<TestDatabase> => createDatabase(templateName)

/** A database without tables; `close` drops it. */
export const emptyDatabase = (): Promise<TestDatabase> => createDatabase('template1')

async function createDatabase(template: string): Promise<TestDatabase> {
  const server = process.env['LRS_TEST_DATABASE']
  if (!server) throw new Error('There is no database for tests: run them by `npm test -- <file>`.')
  const name = `test_${randomBytes(6).toString('hex')}`
  // the other strategy writes all of it to the log of Postgres, too
  await administer(server, `create database ${name} template ${template} strategy file_copy`)
  const url = databaseUrl(server, name)
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  // a test that ends all connections of its database ends the idle one here, too
  pool.on('error', () => {})
  return {
    url,
    sql: async (text, values) => (await pool.query(text, values)).rows,
    async close() {
      await pool.end()
      await drop(server, name)
    },
  }
}

/** A database that core migrates itself; connections are made for each query, because the server is killed. */
export function databaseAt(url: string): TestDatabase {
  return {
    url,
    async sql(text, values) {
      const client = await connectionTo(url)
      try {
        return (await client.query(text, values)).rows
      } finally {
        await client.end()
      }
    },
    close: async () => {},
  }
}

/** A new connection. A server that is killed between two queries tells it only by an event, and nobody waits then. */
export async function connectionTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Postgres waits 5 s for connections that are just being closed; whatever is open then was forgotten. */
async function drop(server: string, name: string): Promise<void> {
  try {
    await administer(server, `drop database ${name}`)
  } catch (error) {
    await administer(server, `drop database ${name} with (force)`)
    throw error
  }
}

async function administer(server: string, text: string): Promise<void> {
  const client = await connectionTo(server)
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
