/** The values of some properties of all rows, as arrays for `unnest`. */
export const columns = <Row, Name extends keyof Row>(rows: readonly Row[], ...names: Name[]): Row[Name][][] =>
  names.map((name) => rows.map((row) => row[name]))

/** The same for values that need no escaping (numbers, keys, booleans, null), as texts, which take less time. */
export const plainColumns = <Row>(rows: readonly Row[], ...names: (keyof Row)[]): string[] =>
  names.map((name) => plainArray(rows.map((row) => row[name])))

export const plainArray = (values: readonly unknown[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`

/** Places of rows, as a text for `tid[]`. */
export const placeColumn = (rows: readonly { readonly place?: string }[]): string =>
  plainArray(rows.map(({ place }) => place && `"${place}"`))

/** Bytes, as a text for `bytea[]`. */
export const hexColumn = (all: readonly Buffer[]): string =>
  plainArray(all.map((bytes) => `"\\\\x${bytes.toString('hex')}"`))
