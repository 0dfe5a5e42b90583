/**
 * Conditions and order that lead a query along one index, whatever the planner believes of the table (docs/adr/0018):
 * rows are compared as a whole, not column by column, so the index of exactly these columns is the only one that has
 * the order. An index that leaves out NULL needs `is not null` beside it.
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

/** For a column of bigint that holds what is above 0. */
export const everything = { after: '0', until: String(Number.MAX_SAFE_INTEGER) }

/** Condition and order: rows of `alias` whose columns are these values, found by an index of exactly these columns. */
export function exactly(alias: string, columns: Columns): string {
  const row = rowOf(alias, Object.keys(columns))
  const values = `(${Object.values(columns).join(', ')})`
  return `${row} >= ${values} and ${row} <= ${values} ${orderOf(alias, Object.keys(columns), true)}`
}

/** Condition: rows of `alias` whose columns are these values, and whose column `last` is in the range. */
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
  `order by ${named(alias, names).map((name) => `${name}${ascending ? '' : ' desc'}`).join(', ')}`
