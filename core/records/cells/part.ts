import type { cellOver } from './cell.ts'
import type { Database } from '../../process/database/database.ts'

/** One cell with its connections. */
export type Part = ReturnType<typeof cellOver> & {
  readonly number: number
  readonly database: Database
  /** Name of the server that it has for itself or with other cells; undefined: that of the directory. */
  readonly server: string | undefined
}
