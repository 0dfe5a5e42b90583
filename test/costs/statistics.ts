import type pg from 'pg'

type Run = (sql: string, values?: unknown[]) => Promise<pg.QueryResultRow[]>

/** Kinds of planner statistics. */
export const beliefs = ['none', 'empty', 'one value', 'all different', 'fresh'] as const
export type Belief = (typeof beliefs)[number]

/** Gives every table these statistics. Postgres makes its plans again. */
export async function believe(run: Run, belief: Belief): Promise<void> {
  if (belief === 'fresh') return void (await run('analyze'))
  const tables = await run(
    `select relname as name, oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of tables) {
    // never analysed, or analysed without rows; Postgres always knows the number of blocks
    await run(
      belief === 'none'
        ? `select pg_clear_relation_stats('public', $1)`
        : `select pg_restore_relation_stats('schemaname', 'public', 'relname', $1::text, 'relpages', $2::int,
           'reltuples', $3::real)`,
      belief === 'none' ? [name] : [name, belief === 'empty' ? 0 : 1, belief === 'empty' ? 0 : 60],
    )
  }
  const columns =
    await run(`select c.relname as "table", a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped`)
  for (const { table, name } of columns) {
    await run(`select pg_clear_attribute_stats('public', $1, $2, false)`, [table, name])
    if (belief === 'none' || belief === 'empty') continue
    await run(
      `select pg_restore_attribute_stats('schemaname', 'public', 'relname', $1::text, 'attname', $2::text,
      'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', $3::real)`,
      [table, name, belief === 'one value' ? 1 : -1],
    )
  }
}
