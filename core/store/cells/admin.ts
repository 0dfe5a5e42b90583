import type { Database } from '../database.ts'

export interface CellView {
  readonly number: number
  /** Without sandboxes. */
  readonly games: number
  /** Bytes of its statements and of what finds them, as Postgres has them on disk. */
  readonly size: number
  /** Games that were moved away, whose rows are not deleted yet. */
  readonly leaving: number
}

const list = {
  name: 'cell_list',
  text: `select c.number,
      (select count(*) from tenant t where t.cell = c.number and t.sandbox_of is null)::int as games,
      (select coalesce(sum(pg_total_relation_size(r.oid)), 0) from pg_class r
        where r.relkind = 'r' and r.relname in ('statement', 'posting', 'attachment', 'attachment_chunk',
            'statement_attachment', 'activity_definition', 'agent_name')
          and r.relnamespace::regnamespace::text = case c.number when 1 then 'public' else 'cell_' || c.number end
      )::float8 as size,
      (select count(*) from left_cell l where l.cell = c.number)::int as leaving
    from cell c order by c.number`,
}
const add = { name: 'cell_add', text: 'select add_cell() as number' }

/** The cells, for admins. */
export function cellAdmin({ run, transaction }: Database) {
  return {
    list: (): Promise<CellView[]> => run<CellView & Record<string, unknown>>(list, []),
    /** Adds a cell and returns its number; undefined: there are 16 already. */
    add: (): Promise<number | undefined> =>
      transaction(async (run) => (await run<{ number: number | null }>(add, []))[0]!.number ?? undefined),
  }
}
