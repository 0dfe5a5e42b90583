import { openDatabase, type Database } from './database.ts'
import { migrate } from './migrate.ts'

const place = `select current_user as role, pg_postmaster_start_time()::text || ' ' || current_database() as place,
  (select relowner::regrole::text from pg_class where oid = to_regclass('public.schema_version')) as owner`
/** Who may create functions in `public` could have those that run as the owner call them. */
const rules = `select has_schema_privilege(?, 'public', 'create') or pg_has_role(?, current_user, 'member') as rules`

/**
 * Brings the tables to this program's version as the role that owns them, and gives the role of `database` what core
 * needs: it can add entries to the audit log, but not change or delete them (functions/share_tables.sql).
 * @param ownerUrl undefined: one role does all
 * @throws Error in words for operators
 */
export async function migrateAs(ownerUrl: string | undefined, database: Database): Promise<number> {
  if (ownerUrl === undefined) return migrate(database).catch(sayWhoOwns)
  await database.ownSessions()
  const owner = openDatabase({ url: ownerUrl, connections: 2, wait: 10_000, statementTimeout: 0 })
  try {
    const [core, own] = await Promise.all([database, owner].map(async ({ knex }) => (await knex.raw(place)).rows[0]))
    if (core.place !== own.place) throw wrong('leads to another database than DATABASE_URL')
    if (own.owner !== null && own.owner !== own.role)
      throw wrong(
        `has the role ${own.role}, but ${own.owner} owns the tables: as a superuser, run ` +
          `"reassign owned by ${own.owner} to ${own.role}" in this database`,
      )
    if ((await owner.knex.raw(rules, [core.role, core.role])).rows[0].rules)
      throw wrong(
        `protects nothing: ${core.role}, the role of DATABASE_URL, must be another role than ${own.role}, no ` +
          'superuser, not own the database and create nothing in the schema public',
      )
    return await migrate(owner, core.role)
  } finally {
    await owner.close()
  }
}

function sayWhoOwns(error: Error & { code?: string }): never {
  const insufficientPrivilege = '42501'
  if (error.code !== insufficientPrivilege) throw error
  throw new Error(
    'The tables are of another version, and the role of DATABASE_URL may not change them: run "games-lrs migrate" ' +
      'with LRS_MIGRATION_DATABASE_URL first (docs/operating.md, "Two roles").',
    { cause: error },
  )
}

const wrong = (what: string) => new Error(`LRS_MIGRATION_DATABASE_URL ${what} (docs/operating.md, "Two roles").`)
