import { readdirSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import type { Database } from './database.ts'

const folder = new URL('./migrations/', import.meta.url)

/** The version of the schema that this program knows. */
export const newestSchema = Math.max(...readdirSync(folder).filter((file) => file.endsWith('.sql')).map((file) => Number.parseInt(file, 10)))

/** The forward-only steps, `001-initial.sql` and on; the number is the version of the schema. */
async function steps(): Promise<{ version: number; file: string }[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return files.map((file) => ({ version: Number.parseInt(file, 10), file }))
}

/**
 * Brings the schema to this binary's version, all steps in one transaction; cores that start together wait for each other.
 * Throws when the schema is newer than this binary knows.
 * Not Knex's own migrations: their lock is a row, which stays locked when the process is killed half-way.
 */
export async function migrate(database: Database): Promise<number> {
  const known = await steps()
  const newest = known.at(-1)!.version
  // without writing: a core may have to start while the disk is nearly full
  if (missing(known, await appliedTo(database)).length === 0) return newest
  return database.knex.transaction(async (trx) => {
    await trx.raw('set local lock_timeout = 0')
    await trx.raw('select pg_advisory_xact_lock(2026, 0)')
    await trx.raw('create table if not exists schema_version (version int primary key, applied timestamptz not null default now())')
    for (const step of missing(known, await trx('schema_version').pluck('version'))) {
      await trx.raw((await readFile(new URL(step.file, folder), 'utf8')).replaceAll('?', '\\?'))
      await trx('schema_version').insert({ version: step.version })
    }
    return newest
  })
}

/** Steps that are yet to be taken; one with a lower number may have come into the program later. @throws Error when the database is ahead */
function missing<Step extends { version: number }>(known: Step[], applied: number[]): Step[] {
  const [ahead, newest] = [Math.max(0, ...applied), known.at(-1)!.version]
  if (ahead > newest) {
    throw new Error(`The database has schema version ${ahead}, this program knows ${newest}: start a newer program, or restore a backup.`)
  }
  return known.filter(({ version }) => !applied.includes(version))
}

/** Versions of the steps that the database has. */
async function appliedTo({ knex }: Database): Promise<number[]> {
  const { rows } = await knex.raw("select to_regclass('schema_version') as there")
  return rows[0].there === null ? [] : knex('schema_version').pluck('version')
}
