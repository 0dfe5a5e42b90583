import type { MessageInitShape } from '@bufbuild/protobuf'
import { ExportFormat, Pseudonyms, type ExportStatementsRequestSchema } from '../gen/lrs/v1/exports_pb.js'
import { SettingError } from '../shared/settings/kinds.ts'
import type { Values } from './command.ts'
import { filtered, ofGame, related, statementFilterOf, timed } from './filter.ts'

const formats = {
  ndjson: ExportFormat.NDJSON,
  json: ExportFormat.JSON,
  csv: ExportFormat.CSV,
  parquet: ExportFormat.PARQUET,
} as const
const pseudonyms = { export: Pseudonyms.OF_EXPORT, game: Pseudonyms.OF_GAME } as const

/** The options of an export. */
export const exported = {
  ...ofGame,
  ...filtered,
  ...related,
  ...timed,
  '--out <file>': 'file to write (default: stdout)',
  '--format <form>': {
    about: 'format of the file',
    choices: ['ndjson', 'csv', 'json', 'parquet'],
    default: 'ndjson',
  },
  '--as <form>': { about: 'older name of --format', choices: ['ndjson', 'csv'], hidden: true },
  '--to <folder>': 'with --format parquet: a file for each UTC day; run it again later to add new ones',
  '--columns <paths>': 'other columns of the CSV, such as result.score.raw,context.extensions[https://…]',
  '--extensions <iris>': 'columns for these extensions, in CSV and Parquet',
  '--language <languages>': 'languages of names in CSV and Parquet, as in Accept-Language',
  '--bom': 'begin a CSV with a byte order mark, for spreadsheets',
  '--pseudonyms [of]': {
    about: 'replace what tells who learners are: new pseudonyms, or those of the game',
    choices: ['export', 'game'],
    preset: 'export',
  },
  '--bare': 'with --pseudonyms: leave out responses and extensions, too',
  '--gzip': 'compress',
  '--resume': 'continue where <file>.state.json says; run it again later to add new statements',
  '--force': 'overwrite the file',
  '--attachments <folder>': 'also write the contents of attachments to this folder, named by their hash',
} as const

export type ExportOptions = Omit<Values<typeof exported>, 'as'>

export type ExportRequest = Exclude<MessageInitShape<typeof ExportStatementsRequestSchema>, { $typeName: string }>

/** What core is asked for. @throws SettingError */
export function exportRequest({ format, extensions = '', bare, bom, ...options }: ExportOptions): ExportRequest {
  if (bare && options.pseudonyms === undefined)
    throw new SettingError('--bare is for files with pseudonyms: add --pseudonyms.')
  return {
    filters: statementFilterOf(options),
    form: {
      format: formats[format],
      acceptLanguage: options.language,
      extensions: extensions.split(/[\s,]+/).filter((iri) => iri !== ''),
      byteOrderMark: bom,
      pseudonyms: options.pseudonyms === undefined ? Pseudonyms.NONE : pseudonyms[options.pseudonyms],
      bare,
    },
  }
}
