/** An array for Postgres, of values that need no escaping: numbers and keys. */
export const arrayLiteral = (values: readonly unknown[]): string => `{${values.join(',')}}`

/** The same, of `valueOf` each item. */
export const arrayOf = <Item>(items: readonly Item[], valueOf: (item: Item) => unknown): string =>
  arrayLiteral(items.map(valueOf))
