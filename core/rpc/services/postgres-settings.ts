import type { Finding } from './finding.ts'

type Rule = readonly [
  /** Name of the finding. */
  check: string,
  setting: string,
  /** All values that are right. */
  right: RegExp,
  severity: 'warning' | 'error',
  /** What follows from any other value. */
  otherwise: string,
  advice: string,
]

const durable = 'a crash may lose statements that were acknowledged'

/**
 * What core needs of the settings of a Postgres server. Settings of a session are not here: core sets them itself
 * (core/process/database/planning.ts). docs/operating.md shows this table and what each vendor's Postgres needs.
 */
export const rules: readonly Rule[] = [
  ['durability', 'fsync', /^on$/, 'warning', durable, 'Set fsync = on in Postgres.'],
  ['durability', 'full_page_writes', /^on$/, 'warning', durable, 'Set full_page_writes = on in Postgres.'],
  [
    'durability',
    'synchronous_commit',
    /^(on|remote_write|remote_apply)$/,
    'warning',
    durable,
    'Set synchronous_commit = on in Postgres.',
  ],
  [
    'writable',
    'default_transaction_read_only',
    /^off$/,
    'error',
    'the database takes no writes',
    'Make room on its disk, or connect to the primary server.',
  ],
  [
    'writable',
    'in_hot_standby',
    /^off$/,
    'error',
    'the database is a standby',
    'Let DATABASE_URL lead to the primary server.',
  ],
  [
    'encoding',
    'server_encoding',
    /^UTF8$/,
    'error',
    'texts of statements cannot be stored',
    'Create the database with encoding UTF8.',
  ],
  [
    'triggers',
    'session_replication_role',
    /^origin$/,
    'error',
    'triggers do not run, so cells do not hear of games',
    'Remove session_replication_role from the settings of the server, the database and the role.',
  ],
  [
    'long-work',
    'transaction_timeout',
    /^0$/,
    'warning',
    'moves, exports and migrations that take longer are cancelled',
    'Set transaction_timeout = 0 for the role of core.',
  ],
  [
    'silent-connections',
    'track_activities',
    /^on$/,
    'warning',
    'core gives up a silent connection after 12 s instead of 2 s',
    'Set track_activities = on in Postgres.',
  ],
  [
    'upkeep',
    'autovacuum',
    /^on$/,
    'warning',
    'Postgres never frees the room of deleted rows, and queries become slow',
    'Set autovacuum = on in Postgres.',
  ],
  [
    'replication',
    'wal_level',
    /^(replica|logical)$/,
    'warning',
    'there can be no standby, and no restore to a point in time',
    'Set wal_level = replica in Postgres.',
  ],
]

/**
 * A finding for each check that fails.
 * @param set settings by name; those that this version of Postgres lacks are right
 * @param server name of another server than the directory's
 */
export function wrongSettings(set: ReadonlyMap<string, string>, server = ''): Finding[] {
  const wrong = rules.filter(([, setting, right]) => set.has(setting) && !right.test(set.get(setting)!))
  return Map.groupBy(wrong, ([check]) => check)
    .entries()
    .map(([check, failed]): Finding => {
      const [[, , , severity, otherwise]] = failed as [Rule]
      const values = failed.map(([, setting]) => `${setting} is ${set.get(setting)}`).join(', ')
      const advice = failed.map(([, , , , , advice]) => advice).join(' ')
      return {
        name: server === '' ? check : `${check}-${server}`,
        severity,
        message: `${values}: ${otherwise}`,
        advice,
      }
    })
    .toArray()
}
