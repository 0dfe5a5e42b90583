import { csvCell } from '../../../shared/csv.ts'
import type { Cell, Column } from './columns.ts'

export const csvLine = (cells: readonly Cell[], columns: readonly Column[]): string =>
  `${cells.map((cell, at) => textOf(cell, columns[at]!)).join(',')}\r\n`

export const csvHead = (columns: readonly Column[]): string =>
  csvLine(
    columns.map(({ name }) => name),
    columns.map(({ name }) => ({ name, type: 'text' })),
  )

function textOf(cell: Cell, { type }: Column): string {
  if (cell === undefined) return ''
  if (type === 'time') return isoOf(cell as bigint)
  // a number in JSON is one in a spreadsheet
  const text = String(cell)
  return type === 'number' || (type === 'json' && /^-?[\d.]+(?:e[+-]?\d+)?$/i.test(text)) ? text : csvCell(cell)
}

/** Microseconds since 1970 in UTC: `2026-11-21T08:00:00.000000Z`. */
export function isoOf(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = (micros - fraction) / 1_000_000n
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}.${String(fraction).padStart(6, '0')}Z`
}
