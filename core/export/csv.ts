import type { Cell, Column } from './columns.ts'

/** Spreadsheets take a cell that begins with one of these for a formula. */
const formula = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/
const quoted = /[",;\t\r\n]|^ | $/

/**
 * A line of RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers do not.
 */
export const csvLine = (cells: readonly Cell[], columns: readonly Column[]): string =>
  `${cells.map((cell, at) => csvCell(cell, columns[at]!)).join(',')}\r\n`

export const csvHead = (columns: readonly Column[]): string =>
  csvLine(
    columns.map(({ name }) => name),
    columns.map(({ name }) => ({ name, type: 'text' })),
  )

function csvCell(cell: Cell, { type }: Column): string {
  if (cell === undefined) return ''
  if (type === 'time') return isoOf(cell as bigint)
  // a number in JSON is one in a spreadsheet
  if (type === 'number' || type === 'boolean') return String(cell)
  const text = String(cell)
  const isNumber = type === 'json' && /^-?[\d.]+(?:e[+-]?\d+)?$/i.test(text)
  const safe = formula.test(text) && !isNumber ? `'${text}` : text
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Microseconds since 1970 in UTC: `2026-11-21T08:00:00.000000Z`. */
export function isoOf(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = (micros - fraction) / 1_000_000n
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}.${String(fraction).padStart(6, '0')}Z`
}
