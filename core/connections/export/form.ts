import type { Cell } from './columns.ts'
import type { Pseudonymity } from './pseudonyms.ts'

export type ExportFormat = 'csv' | 'ndjson' | 'json' | 'parquet'

/** What becomes of the statements. */
export interface ExportForm {
  readonly format: ExportFormat
  /** As in Accept-Language: of the names of verbs and activities. */
  readonly languages: string
  /** IRIs of extensions that get columns. */
  readonly extensions: readonly string[]
  /** A CSV begins with a byte order mark, by which spreadsheets know UTF-8. */
  readonly mark: boolean
  /** It goes on with an earlier file, which has the head. */
  readonly continues: boolean
  readonly pseudonymity: Pseudonymity | undefined
}

/** One statement as it goes into a file. */
export interface Encoded {
  /** JSON. */
  readonly text: string
  /** Of its columns; empty for files without columns. */
  readonly cells: readonly Cell[]
}

/** What makes the bytes of one format. */
export interface Writer {
  add(rows: readonly Encoded[]): Promise<Uint8Array>
  end(): Promise<Uint8Array>
}
