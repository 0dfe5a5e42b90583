import { column, type Column, type Row, type Table } from './table.ts'

/** What one build says, or all of them; two sides are compared. */
export interface Side<Of> {
  readonly name: string
  readonly of: Of
}

/** What each side says, one line a side; the line begins with its name where there are two. */
export const sentences = <Of>(sides: readonly Side<Of>[], tell: (of: Of) => string): string =>
  sides.length === 1 ? tell(sides[0]!.of) : sides.map(({ name, of }) => `${name}: ${tell(of)}`).join('\n')

/** One table of all sides, with a column for the build where there are two. */
export function sideTable<Of>(
  sides: readonly Side<Of>[],
  [first, ...rest]: readonly Column[],
  rowsOf: (of: Of) => readonly Row[],
): Table {
  const isPair = sides.length > 1
  return {
    columns: [first!, ...(isPair ? [column('Build', 'text')] : []), ...rest],
    rows: sides.flatMap(({ name, of }) =>
      rowsOf(of).map((row) => (isPair ? { ...row, cells: [row.cells[0], name, ...row.cells.slice(1)] } : row)),
    ),
  }
}

/** What the sides say of the same things, in the order of the first side. */
export function together<Of, One>(
  sides: readonly Side<Of>[],
  listOf: (of: Of) => readonly One[],
  keyOf: (one: One) => string,
): { key: string; of: { name: string; one: One | undefined }[] }[] {
  const found = sides.map(({ name, of }) => ({ name, by: new Map(listOf(of).map((one) => [keyOf(one), one])) }))
  const keys = new Set(found.flatMap(({ by }) => [...by.keys()]))
  return [...keys].map((key) => ({ key, of: found.map(({ name, by }) => ({ name, one: by.get(key) })) }))
}
