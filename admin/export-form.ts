import type { MessageInitShape } from '@bufbuild/protobuf'
import { ExportFormat, Pseudonyms, type ExportStatementsRequestSchema } from '../gen/lrs/v1/exports_pb.js'
import { SettingError } from '../shared/settings/kinds.ts'
import { statementFilterOf, type FilterOptions } from './filter.ts'

export const exportFormats = {
  ndjson: ExportFormat.NDJSON,
  json: ExportFormat.JSON,
  csv: ExportFormat.CSV,
  parquet: ExportFormat.PARQUET,
} as const
const pseudonyms = { export: Pseudonyms.OF_EXPORT, game: Pseudonyms.OF_GAME } as const

/** The options of a file that core makes. */
export interface ExportOptions extends Omit<FilterOptions, 'format'> {
  readonly format: keyof typeof exportFormats
  readonly extensions?: string
  readonly pseudonyms?: keyof typeof pseudonyms
  readonly bare?: true
  readonly bom?: true
}

export type ExportRequest = Exclude<MessageInitShape<typeof ExportStatementsRequestSchema>, { $typeName: string }>

/** What core is asked for. @throws SettingError */
export function exportRequest({ format, extensions = '', bare, bom, ...options }: ExportOptions): ExportRequest {
  if (bare && options.pseudonyms === undefined)
    throw new SettingError('--bare is for files with pseudonyms: add --pseudonyms.')
  return {
    filters: statementFilterOf(options),
    form: {
      format: exportFormats[format],
      acceptLanguage: options.language,
      extensions: extensions.split(/[\s,]+/).filter((iri) => iri !== ''),
      byteOrderMark: bom,
      pseudonyms: options.pseudonyms === undefined ? Pseudonyms.NONE : pseudonyms[options.pseudonyms],
      bare,
    },
  }
}
