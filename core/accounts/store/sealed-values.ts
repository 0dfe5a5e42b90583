import { did, sql, type Database } from '../../process/database/database.ts'

/** A column with sealed values (core/accounts/access/sealed.ts), and the column that names the row. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  readonly row: string
}

export interface SealedValue {
  readonly row: string
  readonly sealed: Buffer
}

/** Every column with sealed values. A new one goes here, so that it is sealed again when the keys change. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'export_job', column: 'pseudonym_key', row: 'uuid' },
  { table: 'forward', column: 'credential', row: 'uuid' },
  { table: 'lti_key', column: 'private_key', row: 'kid' },
  { table: 'pseudonym_key', column: 'sealed', row: 'game' },
  { table: 'sign_in_provider', column: 'client_secret', row: 'uuid' },
  { table: 'totp', column: 'secret', row: 'account' },
  { table: 'webhook', column: 'secret', row: 'uuid' },
  { table: 'webhook', column: 'old_secret', row: 'uuid' },
]

/** Reads and replaces sealed values of all tables alike. */
export function sealedValueStore({ run }: Database) {
  return {
    /** The values of a column. There is one for an account or a provider at most, so they come at once. */
    of: ({ table, column, row }: SealedColumn) =>
      run<SealedValue>(
        sql(`sealed_${table}_${column}`)`
          select ${row}::text as row, ${column} as sealed from ${table} where ${column} is not null order by 1`,
        [],
      ),
    /** False when the value is not `before` any more. */
    replace: ({ table, column, row }: SealedColumn, { row: which, sealed: before }: SealedValue, after: Buffer) =>
      did(
        run(
          sql(`sealed_${table}_${column}_replace`)`
            update ${table} set ${column} = $3 where ${row}::text = $1 and ${column} = $2 returning 1`,
          [which, before, after],
        ),
      ),
  }
}
