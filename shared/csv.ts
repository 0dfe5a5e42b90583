/** Spreadsheets take a cell that begins with one of these for a formula. */
const formula = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/
/** Also `;` and tabs: where spreadsheets split at these, what comes after one would begin a cell. */
const quoted = /[",;\t\r\n]|^ | $/

/**
 * A cell of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula gets an apostrophe before it;
 * numbers do not. Objects stand as JSON, what is not there is empty.
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

/** A whole file, with the mark by which spreadsheets know UTF-8. */
export const csvFile = (lines: readonly (readonly unknown[])[]): string => `\ufeff${lines.map(csvLine).join('')}`
