import { create } from '@bufbuild/protobuf'
import {
  ExportFormat,
  Pseudonyms,
  type ExportForm as FormMessage,
  type ExportStatementsRequest,
} from '../../../gen/lrs/v1/exports_pb.js'
import { StatementFilterSchema, type StatementFilter as Message } from '../../../gen/lrs/v1/statements_pb.js'
import type { ExportForm } from '../export/form.ts'
import type { ExportQuery } from '../query/export-statements.ts'
import type { AuditDetails } from '../../accounts/store/audit.ts'
import { iriParameter, placeParameter } from '../../records/xapi/parameters.ts'
import type { StatementFilter } from '../../../shared/statement-filters.ts'

/** The filters of a request, without what belongs to messages. */
export function filtersOf(filters: Message = create(StatementFilterSchema)): StatementFilter {
  const { $typeName: _, $unknown: __, ...filter } = filters
  return filter
}

export const queryOf = ({ filters, after }: ExportStatementsRequest): ExportQuery => ({
  ...filtersOf(filters),
  after: after > 0n ? placeParameter(after, 'after') : undefined,
})

const formats: Readonly<Record<ExportFormat, ExportForm['format']>> = {
  [ExportFormat.UNSPECIFIED]: 'ndjson',
  [ExportFormat.NDJSON]: 'ndjson',
  [ExportFormat.JSON]: 'json',
  [ExportFormat.CSV]: 'csv',
  [ExportFormat.PARQUET]: 'parquet',
}

/** What the file has, but for its pseudonyms. @throws Problem */
export const formOf = ({
  form,
  after,
}: Pick<ExportStatementsRequest, 'form' | 'after'>): Omit<ExportForm, 'pseudonymity'> => ({
  format: formats[form?.format ?? ExportFormat.UNSPECIFIED],
  languages: form?.acceptLanguage ?? '',
  extensions: [...new Set((form?.extensions ?? []).map((iri) => iriParameter(iri, 'form.extensions')))],
  mark: form?.byteOrderMark ?? false,
  continues: after > 0n,
})

/** Whose pseudonyms the file has. */
export const pseudonymsOf = (form: FormMessage | undefined): 'none' | 'export' | 'game' =>
  form?.pseudonyms === Pseudonyms.OF_GAME ? 'game' : form?.pseudonyms === Pseudonyms.OF_EXPORT ? 'export' : 'none'

const dayOf = (time: string): string | undefined => /^\d{4}-\d\d-\d\d/.exec(time)?.[0]

/** What the audit log says: which filters there were, but not whom they named. */
export function detailsOf({
  filters,
  form,
  sandbox,
}: Pick<ExportStatementsRequest, 'filters' | 'form' | 'sandbox'>): AuditDetails {
  const { since, until, ...others } = filtersOf(filters)
  const used = Object.entries(others).filter(([, value]) => typeof value === 'string' && value !== '')
  return {
    format: formats[form?.format ?? ExportFormat.UNSPECIFIED],
    pseudonyms: pseudonymsOf(form),
    filters: used.map(([name]) => name).join(' ') || undefined,
    since: dayOf(since),
    until: dayOf(until),
    sandbox: sandbox || undefined,
  }
}
