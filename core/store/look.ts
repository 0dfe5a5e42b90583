/**
 * Conditions and order that lead a query along one index, whatever the planner believes of the table (docs/adr/0018):
 * rows are compared as a whole, not column by column, so the index of exactly these columns is the only one that has the
 * order. An index that leaves out NULL needs `is not null` beside it.
 */

/** Rows of `alias` whose columns are these values: an index that ends in these columns finds them. */
export function exactly(alias: string, columns: Readonly<Record<string, string>>): string {
  const row = rowOf(alias, Object.keys(columns))
  const values = `(${Object.values(columns).join(', ')})`
  return `${row} >= ${values} and ${row} <= ${values} order by ${Object.keys(columns)
    .map((name) => `${alias}.${name}`)
    .join(', ')}`
}

export interface Range {
  /** SQL: strictly after this value. */
  readonly after: string
  /** SQL: at or before this value. */
  readonly until: string
  readonly ascending: boolean
}

/** Rows of `alias` whose columns are these values, in the order of one more column, `of`. */
export function along(
  alias: string,
  columns: Readonly<Record<string, string>>,
  of: string,
  { after, until, ascending }: Range,
): string {
  const names = [...Object.keys(columns), of]
  const row = rowOf(alias, names)
  const values = Object.values(columns)
  return `${row} > (${[...values, after].join(', ')}) and ${row} <= (${[...values, until].join(', ')})
    order by ${names.map((name) => `${alias}.${name}${ascending ? '' : ' desc'}`).join(', ')}`
}

/** For `after` and `until` of a column of bigint that holds what is above 0. */
export const everything = { after: '0', until: String(Number.MAX_SAFE_INTEGER) }

const rowOf = (alias: string, names: readonly string[]) => `(${names.map((name) => `${alias}.${name}`).join(', ')})`
