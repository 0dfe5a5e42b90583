/**
 * Conditions and order that tie a query to one index, with any planner statistics (docs/adr/0018). They compare whole
 * rows, as `(game, stored) <= ($1, $2)`, not column by column. Only the index of exactly these columns has that order.
 * A partial index `where x is not null` also needs `x is not null` in the query.
 */

/** SQL by column. */
export type Columns = Readonly<Record<string, string>>

export interface Range {
  /** SQL: strictly after this value. */
  readonly after: string
  /** SQL: at or before this value. */
  readonly until: string
  readonly ascending: boolean
}

/** The whole range of a bigint column whose values are above 0. */
export const everything = { after: '0', until: String(Number.MAX_SAFE_INTEGER) }

/** Condition and order: rows of `alias` whose columns have these values, by the index of exactly these columns. */
export function exactly(alias: string, columns: Columns): string {
  const row = rowOf(alias, Object.keys(columns))
  const values = `(${Object.values(columns).join(', ')})`
  return `${row} >= ${values} and ${row} <= ${values} ${orderOf(alias, Object.keys(columns), true)}`
}

/** Condition: rows of `alias` whose columns have these values, and whose column `last` is in the range. */
export function along(alias: string, columns: Columns, last: string, { after, until }: Range): string {
  const row = rowOf(alias, [...Object.keys(columns), last])
  const values = Object.values(columns)
  return `${row} > (${[...values, after].join(', ')}) and ${row} <= (${[...values, until].join(', ')})`
}

/** The order that goes with along(). */
export const orderAlong = (alias: string, columns: Columns, last: string, { ascending }: Range) =>
  orderOf(alias, [...Object.keys(columns), last], ascending)

const named = (alias: string, names: readonly string[]) => names.map((name) => `${alias}.${name}`)

const rowOf = (alias: string, names: readonly string[]) => `(${named(alias, names).join(', ')})`

const orderOf = (alias: string, names: readonly string[], ascending: boolean) =>
  `order by ${named(alias, names)
    .map((name) => `${name}${ascending ? '' : ' desc'}`)
    .join(', ')}`
