/** The values of some properties of all rows, as arrays for `unnest`. */
export const columns = <Row, Name extends keyof Row>(rows: readonly Row[], ...names: Name[]): Row[Name][][] =>
  names.map((name) => rows.map((row) => row[name]))
