/** Spreadsheets take a cell that begins with one of these for a formula. */
const formula = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/
/** Also `;` and tabs: some spreadsheets split at these, and the text after one would begin a cell. */
const quoted = /[",;\t\r\n]|^ | $/

/**
 * A cell of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe before it;
 * numbers do not. Objects become JSON. Missing values become an empty cell.
 */
export function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') return csvCell(JSON.stringify(value))
  if (typeof value !== 'string') return String(value)
  const safe = formula.test(value) ? `'${value}` : value
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A line of a CSV file, with its end. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** A whole file, with the byte order mark by which spreadsheets recognise UTF-8. */
export const csvFile = (lines: readonly (readonly unknown[])[]): string => `\ufeff${lines.map(csvLine).join('')}`
