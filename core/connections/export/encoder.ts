import { acceptLanguages } from '../../records/xapi/languages.ts'
import { parse } from '../../records/xapi/json.ts'
import type { LanguageMap, Statement } from '../../records/xapi/types.ts'
import { columnsWith, type Cell, type Column } from './columns.ts'
import type { ExportForm, Writer } from './form.ts'
import { parquetFile } from './parquet.ts'
import { pseudonymizer } from './pseudonyms.ts'
import { extensionOf, rowOf, type Names } from './row.ts'
import { csvCell } from '../../../shared/csv.ts'

/** What the encoder has to know of the statements that it took. */
export interface Unknown {
  /** IRIs. */
  readonly verbs: readonly string[]
  readonly activities: readonly string[]
}

export interface Known {
  readonly verbs: readonly (readonly [iri: string, name: string])[]
  readonly activities: readonly (readonly [iri: string, is: { readonly name?: LanguageMap; readonly type?: string }])[]
}

/** Makes a file of statements, some at a time: take some, say what is unknown of them, get bytes of the file. */
export interface Encoder {
  /** @param texts JSON of stored statements */
  take(texts: readonly Uint8Array[]): Unknown
  /** Of those that were taken. */
  encode(known: Known): Promise<Uint8Array>
  /** The end of the file. */
  end(): Promise<Uint8Array>
}

/** Names that are remembered; then all are asked for again. */
const remembered = 20_000
const nothing: Unknown = { verbs: [], activities: [] }

export function encoder(form: ExportForm): Encoder {
  const { format, pseudonymity } = form
  const pseudonymize = pseudonymity && pseudonymizer(pseudonymity)
  const table = format === 'csv' || format === 'parquet'
  const columns = columnsWith(form.extensions)
  const verbs = new Map<string, string>()
  const activities = new Map<string, Known['activities'][number][1]>()
  const languages = acceptLanguages(form.languages)
  const names: Names = {
    languages: languages.length > 0 ? languages : ['en'],
    activity: (iri) => activities.get(iri),
    verb: (iri) => verbs.get(iri) || undefined,
  }
  const write = { csv: csvWriter, ndjson: lineWriter, json: arrayWriter, parquet: parquetFile }[format](columns, form)
  let taken: { text: string; statement: Statement | undefined }[] = []

  return {
    take(texts) {
      if (verbs.size + activities.size > remembered) [verbs, activities].forEach((known) => known.clear())
      taken = texts.map((bytes) => {
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
        const told = pseudonymize ? pseudonymize(text) : text
        return { text: told, statement: table ? (parse(told) as Statement) : undefined }
      })
      if (!table) return nothing
      const unknown = { verbs: new Set<string>(), activities: new Set<string>() }
      for (const { statement } of taken) {
        const { verb, object } = statement!
        if (verb.display === undefined && !verbs.has(verb.id)) unknown.verbs.add(verb.id)
        const isActivity = (object.objectType ?? 'Activity') === 'Activity'
        if (isActivity && 'id' in object && !activities.has(object.id)) unknown.activities.add(object.id)
      }
      return { verbs: [...unknown.verbs], activities: [...unknown.activities] }
    },
    async encode(known) {
      for (const [iri, name] of known.verbs) verbs.set(iri, name)
      for (const [iri, is] of known.activities) activities.set(iri, is)
      const rows = taken.map(({ text, statement }) => ({
        text,
        cells: statement ? cellsOf(statement, names, columns) : [],
      }))
      taken = []
      return write.add(rows)
    },
    end: () => write.end(),
  }
}

function cellsOf(statement: Statement, names: Names, columns: readonly Column[]): Cell[] {
  const row: Readonly<Record<string, Cell>> = rowOf(statement, names)
  return columns.map(({ name, type }) => (type === 'json' ? extensionOf(statement, name) : row[name]))
}

function csvWriter(columns: readonly Column[], { mark, continues }: ExportForm): Writer {
  let head = continues ? '' : (mark ? '\ufeff' : '') + csvHead(columns)
  const begin = (): string => {
    const text = head
    head = ''
    return text
  }
  return {
    add: async (rows) => Buffer.from(begin() + rows.map(({ cells }) => csvLine(cells, columns)).join('')),
    end: async () => Buffer.from(begin()),
  }
}

/** Only spaces between tokens can be line feeds. */
const lineWriter = (): Writer => ({
  add: async (rows) => Buffer.from(rows.map(({ text }) => `${text.replaceAll(/[\r\n]/g, ' ')}\n`).join('')),
  end: async () => Buffer.alloc(0),
})

function arrayWriter(_columns: readonly Column[], { continues }: ExportForm): Writer {
  let before = continues ? ',\n' : '[\n'
  return {
    async add(rows) {
      const text = rows.map((row) => {
        const one = before + row.text
        before = ',\n'
        return one
      })
      return Buffer.from(text.join(''))
    },
    end: async () => Buffer.from(before === '[\n' ? '[]\n' : '\n]\n'),
  }
}

const csvLine = (cells: readonly Cell[], columns: readonly Column[]): string =>
  `${cells.map((cell, at) => textOf(cell, columns[at]!)).join(',')}\r\n`

const csvHead = (columns: readonly Column[]): string =>
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
function isoOf(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = (micros - fraction) / 1_000_000n
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -5)}.${String(fraction).padStart(6, '0')}Z`
}
