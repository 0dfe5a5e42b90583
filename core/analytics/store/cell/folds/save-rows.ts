/** Types by column. */
type Columns = Readonly<Record<string, string>>

/**
 * SQL of CTEs that insert rows that are new, and update those that were found where they are: who counts holds the
 * cursor, so nobody else has moved them. `on conflict` would look for each row and lock it first.
 * @param from number of the first parameter: where a row is, null: it is new; then its columns. A list is a text.
 */
export function saveRows(table: string, key: Columns, values: Columns, from: number): string {
  const columns = { ...key, ...values }
  const isList = (name: string) => columns[name]!.endsWith('[]')
  const read = (name: string) => (isList(name) ? `n.${name}::${columns[name]}` : `n.${name}`)
  const [all, changed] = [Object.keys(columns), Object.keys(values)]
  const given = ['tid', ...all.map((name) => (isList(name) ? 'text' : columns[name]))]
  return `
    ${table}_rows as materialized (
      select * from unnest(${given.map((type, n) => `$${from + n}::${type}[]`)}) n (place, ${all})),
    ${table}_new as (
      insert into ${table} (game, ${all}) select $1, ${all.map(read)} from ${table}_rows n where place is null),
    ${table}_changed as (
      update ${table} f set (${changed}) = row (${changed.map(read)}) from ${table}_rows n
      where n.place is not null and f.ctid = n.place)`
}
