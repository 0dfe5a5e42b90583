import type { GetStatusResponse, Table } from '../../../gen/lrs/v1/admin_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { settingsOf, type CellStatus } from './cell/status.ts'
import { scalar, sql, type Database } from '../../process/database/database.ts'

export type TableSize = Fields<Table>

export type StoreStatus = CellStatus &
  Pick<Fields<GetStatusResponse>, 'schemaVersion' | 'databaseVersion' | 'databaseSize' | 'games' | 'studios'>

const status = sql('store_status')`select (select max(version) from schema_version)::int as "schemaVersion",
    current_setting('server_version') as "databaseVersion",
    pg_database_size(current_database())::float8 as "databaseSize",
    (select count(*) from game where sandbox_of is null and deleted is null)::int as games,
    (select count(*) from studio where ended is null)::int as studios`
const tables = sql('store_tables')`select c.oid::regclass::text as name,
      greatest(reltuples, 0)::float8 as rows, pg_table_size(c.oid)::float8 as size,
      pg_indexes_size(c.oid)::float8 as "indexSize"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where relkind = 'r' and (nspname = 'public' or starts_with(nspname, 'cell_'))
    order by pg_total_relation_size(c.oid) desc, relname`
/** Rows of a table of up to this many bytes are counted: the estimate of a small table may never have been made. */
const counted = 256 * 1024
const clock = sql('store_clock')`select (extract(epoch from clock_timestamp()) * 1000000)::float8 as now`
const overdue = sql('store_overdue')`select count(*)::int as count from garbage where due < now() - interval '1 day'`

interface Cells {
  status(): Promise<CellStatus>
  through(): Promise<number>
  pool(): ReturnType<Database['pool']>
}

/** State of the database. */
export function statusStore({ run }: Database, { status: cellStatus, through, pool }: Cells) {
  return {
    read: async (): Promise<StoreStatus> => {
      const [store] = await run<Omit<StoreStatus, keyof CellStatus>>(status, [])
      return { ...store!, ...(await cellStatus()) }
    },
    /** The largest first. */
    async tables(): Promise<TableSize[]> {
      const sizes = await run<TableSize>(tables, [])
      const small = sizes.filter(({ size }) => size <= counted).map(({ name }) => name)
      const counts = small.map((name, n) => `select ${n} as n, count(*)::float8 as rows from ${name}`)
      const rows = await run<{ n: number; rows: number }>(sql('')`${counts.join(' union all ')}`, [])
      const exact = new Map(rows.map(({ n, rows }) => [small[n], rows]))
      return sizes.map((table) => ({ ...table, rows: exact.get(table.name) ?? table.rows }))
    },
    /** The database's clock in microseconds. */
    clock: () => scalar<number>(run(clock, [])),
    /** These settings of Postgres, by name. */
    settings: (names: readonly string[]) => settingsOf(run, names),
    /** Keys in storage that should have been removed a day ago. */
    overdueGarbage: () => scalar<number>(run(overdue, [])),
    /** Microseconds: everything stored at or before is visible. */
    consistentThrough: through,
    pool,
  }
}
