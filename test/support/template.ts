import pg from 'pg'
import { openDatabase } from '../../core/process/database/database.ts'
import { migrate } from '../../core/process/database/migrate.ts'

export const templateName = 'lrs_template'

/** The same server with another database. */
export function databaseUrl(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Makes the database that every test file gets a copy of, and returns the URL that test files start from. */
export async function makeTemplate(url: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`create database ${templateName}`)
  await client.end()
  const database = openDatabase({
    url: databaseUrl(url, templateName),
    connections: 2,
    wait: 5_000,
    statementTimeout: 30_000,
  })
  try {
    await migrate(database)
  } finally {
    await database.close()
  }
  return url
}
