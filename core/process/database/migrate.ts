import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Knex } from 'knex'
import type { Database } from './database.ts'

interface SqlFile {
  name: string
  text: string
}

const read = (folder: string): SqlFile[] => {
  const url = new URL(folder, import.meta.url)
  const names = readdirSync(url)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return names.map((name) => ({ name, text: readFileSync(new URL(name, url), 'utf8') }))
}

/** Migrations, from `018-baseline.sql` on. They only go forward; the number is the version of the schema. */
const steps = read('./migrations/').map((file) => ({ ...file, version: Number.parseInt(file.name, 10) }))
const baseline = steps[0]!.version
/** The last program that upgrades to the version before the baseline; there is no release of it. */
const throughWhich = 'commit bb1d7de9'
/** Today's version of each function. All are created again when one has changed. */
const functions = read('./functions/')
const functionsHash = createHash('sha256')
  .update(functions.map(({ text }) => text).join('\n'))
  .digest('hex')

/** The version of the schema that this program knows. */
export const newestSchema = Math.max(...steps.map(({ version }) => version))

/** A row of schema_version. `functions`: hash of the functions that were created last; null in older rows. */
interface Applied {
  version: number
  functions: string | null
}

/**
 * Brings tables and functions to this program's version in one transaction. Cores that start together wait.
 * Not Knex's own migrations: their lock is a row, which stays locked when the process is killed half-way.
 * @param sharedWith the role of core, if another one owns the tables: it gets what it needs of them
 * @throws Error when the schema is newer than this program, or too old for it
 */
export async function migrate(database: Database, sharedWith?: string): Promise<number> {
  await database.ownSessions()
  // without writing: a core may have to start while the disk is nearly full
  if (!isBehind(await appliedTo(database)) && (await isShared(database.knex, sharedWith))) return newestSchema
  return database.knex.transaction(async (trx) => {
    const run = async ({ text }: SqlFile) => void (await trx.raw(text.replaceAll('?', '\\?')))
    await trx.raw('set local search_path = public')
    await trx.raw('set local lock_timeout = 0')
    await trx.raw('set local statement_timeout = 0')
    await trx.raw('select pg_advisory_xact_lock(2026, 0)')
    await trx.raw(
      'create table if not exists schema_version (version int primary key, applied timestamptz not null default now())',
    )
    await trx.raw('alter table schema_version add column if not exists functions text')
    const applied: Applied[] = await trx('schema_version').select('version', 'functions')
    if (!isBehind(applied)) {
      await share(trx, sharedWith)
      return newestSchema
    }
    if (applied.length === 0) await refuseSecondStore(trx)
    for (const step of missing(applied)) {
      // a database of the version before the baseline has all of its tables
      if (step.version !== baseline || applied.length === 0) await run(step)
      await trx('schema_version').insert({ version: step.version })
    }
    for (const one of functions) await run(one)
    await trx('schema_version').where({ version: newestSchema }).update({ functions: functionsHash })
    await share(trx, sharedWith)
    return newestSchema
  })
}

const isShared = async (knex: Knex, role: string | undefined): Promise<boolean> =>
  role === undefined || (await knex.raw('select has_shared_tables(?) as shared', [role])).rows[0].shared

const share = async (trx: Knex, role: string | undefined): Promise<void> =>
  role === undefined ? undefined : void (await trx.raw('select share_tables(?)', [role]))

function isBehind(applied: readonly Applied[]): boolean {
  return (
    missing(applied).length > 0 ||
    !applied.some((row) => row.version === newestSchema && row.functions === functionsHash)
  )
}

/** Migrations that were not applied yet; one with a lower number may be newer in this program. @throws Error */
function missing(applied: readonly Applied[]): typeof steps {
  const versions = applied.map(({ version }) => version)
  const newest = Math.max(0, ...versions)
  if (newest > newestSchema) {
    throw new Error(
      `The database has schema version ${newest}, this program knows ${newestSchema}: ` +
        'start a newer program, or restore a backup.',
    )
  }
  if (newest > 0 && newest < baseline - 1) {
    throw new Error(
      `The database has schema version ${newest}, this program upgrades from ${baseline - 1} on: ` +
        `start the program of ${throughWhich} first, which has version ${baseline - 1}.`,
    )
  }
  return steps.filter(({ version }) => !versions.includes(version))
}

/** Earlier versions left the schema to the role: core must not begin an empty store next to the one in use. */
async function refuseSecondStore(trx: Knex): Promise<void> {
  const { rows } = await trx.raw(
    `select relnamespace::regnamespace::text as schema from pg_class where relname = 'schema_version'
      and to_regclass(format('%s.statement_order', relnamespace::regnamespace)) is not null`,
  )
  if (rows.length > 0)
    throw new Error(
      `The database has a store in the schema ${rows[0].schema}, but core keeps it in "public": rename "public", ` +
        `then "alter schema ${rows[0].schema} rename to public".`,
    )
}

async function appliedTo({ knex }: Database): Promise<Applied[]> {
  const { rows } = await knex.raw("select to_regclass('public.schema_version') as there")
  if (rows[0].there === null) return []
  // as JSON, because version 17 has no column `functions`
  return (await knex.raw("select version, to_jsonb(v) ->> 'functions' as functions from public.schema_version v")).rows
}
