import { csvLine } from '../shared/csv.ts'
import { Failed } from './failed.ts'

/** A column: the members on the way to its value. */
export type Column = readonly string[]

/**
 * Columns from text: `result.score.raw,context.extensions[https://games.example/level]`; a name with dots or commas
 * stands in brackets. @throws Failed
 */
export function columnsOf(text: string): Column[] {
  const columns = text.match(/(?:\[[^\]]*\]|[^,[])+/g) ?? []
  return columns.map((column) => {
    const whole = /^(?:[^.[\]]+|\[[^\]]+\])(?:\.[^.[\]]+|\[[^\]]+\])*$/.test(column.trim())
    if (!whole)
      throw new Failed(
        `${JSON.stringify(column)} is not a column. Use a path such as result.score.raw or ` +
          `context.extensions[https://…].`,
        2,
      )
    return Array.from(column.trim().matchAll(/\[([^\]]+)\]|([^.[\]]+)/g), ([, bracketed, plain]) => bracketed ?? plain!)
  })
}

export const csvHead = (columns: readonly Column[]): string => csvLine(columns.map((path) => path.join('.')))

/** One statement as a line; objects and lists stand as JSON, what is not there is empty. */
export function csvRow(json: Uint8Array, columns: readonly Column[]): string {
  const statement: unknown = JSON.parse(Buffer.from(json).toString())
  return csvLine(columns.map((path) => valueAt(statement, path)))
}

function valueAt(statement: unknown, path: Column): unknown {
  let value = statement
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
