import { randomBytes } from 'node:crypto'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import {
  ExportFormat,
  Pseudonyms,
  type ExportFilters,
  type ExportService,
  type ExportStatementsRequest,
} from '../../gen/lrs/v1/exports_pb.js'
import { exports as limits } from '../../shared/limits.ts'
import type { Caller } from '../access/caller.ts'
import { gameReader } from '../access/game-reader.ts'
import { renewedHolder } from '../access/token-holder.ts'
import { pseudonymKey } from '../command/pseudonym-key.ts'
import type { Core } from '../context.ts'
import type { ExportForm } from '../export/form.ts'
import { Refusal } from '../refusal.ts'
import { exportStatements, type ExportQuery } from '../query/export-statements.ts'
import type { AuditDetails } from '../store/directory/audit.ts'
import { iriParameter } from '../xapi/parameters.ts'
import { callOf } from './call.ts'
import { developer, isAdmin } from './developer.ts'

/** Milliseconds after which it is asked again whether the caller may still read. */
const renewMs = 60_000

export function exportService(core: Core): ServiceImpl<typeof ExportService> {
  return {
    async *exportStatements(request, context) {
      const studio = await studioOf(core, context)
      const call = callOf(context)
      const open = () => gameReader(core, studio, { ...request, key: call.onBehalf })
      const caller = await open()
      const form = formOf(request)
      call.told = { subject: { kind: 'game', id: caller?.gameId ?? request.gameId }, details: detailsOf(request) }
      const key = await keyOf(core, request, caller)
      const release = core.exporting.take(studio ?? 'admins')
      const signal = AbortSignal.any([context.signal, core.exporting.ending])
      try {
        let asked = performance.now()
        let reached = { statements: 0n, through: request.after }
        const pieces = exportStatements(
          core,
          open,
          queryOf(request),
          { ...form, pseudonymity: key && { key, authority: caller?.authority ?? '{}', bare: !!request.form?.bare } },
          signal,
        )
        for await (const { data, statements, through } of pieces) {
          if (performance.now() - asked > renewMs) {
            await studioOf(core, context)
            asked = performance.now()
          }
          let at = 0
          for (; at + limits.pageBytes < data.length; at += limits.pageBytes)
            yield { ...reached, data: data.subarray(at, at + limits.pageBytes) }
          reached = { statements: BigInt(statements), through: BigInt(through) }
          yield { ...reached, data: data.subarray(at) }
        }
      } catch (error) {
        if (!core.exporting.ending.aborted) throw error
        throw new Refusal('unavailable', 'This core is stopping; start the export again.')
      } finally {
        release()
      }
    },
  }
}

/** The studio whose games are exported; undefined: an admin exports any game. @throws Refusal */
async function studioOf(core: Core, context: HandlerContext): Promise<number | undefined> {
  if (isAdmin(core, context)) return undefined
  const call = callOf(context)
  if (call.holder) call.holder = await renewedHolder(core.store, call.holder, core.notices.mail)
  return (await developer(core, context)).studio
}

/** The filters of a request. */
export const filtersOf = (filters: ExportFilters | undefined) => ({
  agent: filters?.agent ?? '',
  verb: filters?.verb ?? '',
  activity: filters?.activity ?? '',
  registration: filters?.registration ?? '',
  relatedAgents: filters?.relatedAgents ?? false,
  relatedActivities: filters?.relatedActivities ?? false,
  since: filters?.since ?? '',
  until: filters?.until ?? '',
})

const queryOf = ({ filters, after }: ExportStatementsRequest): ExportQuery => ({
  ...filtersOf(filters),
  after: after > 0n ? Number(after) : undefined,
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

/** The key of the file's pseudonyms; undefined: it has none. */
async function keyOf(
  core: Core,
  { form }: ExportStatementsRequest,
  caller: Caller | undefined,
): Promise<Uint8Array | undefined> {
  // a game without a credential has no statements
  if (form?.pseudonyms === Pseudonyms.OF_GAME && caller) return pseudonymKey(core, caller.gameId)
  return form?.pseudonyms === Pseudonyms.OF_EXPORT ? randomBytes(32) : undefined
}

const dayOf = (time: string): string | undefined => /^\d{4}-\d\d-\d\d/.exec(time)?.[0]

/** What the audit log says: which filters there were, but not whom they named. */
export function detailsOf({
  filters,
  form,
  sandbox,
}: Pick<ExportStatementsRequest, 'filters' | 'form' | 'sandbox'>): AuditDetails {
  const { agent, verb, activity, registration, since, until } = filtersOf(filters)
  const used = Object.entries({ agent, verb, activity, registration }).filter(([, value]) => value !== '')
  const pseudonyms = form?.pseudonyms ?? Pseudonyms.NONE
  return {
    format: formats[form?.format ?? ExportFormat.UNSPECIFIED],
    pseudonyms: pseudonyms === Pseudonyms.OF_GAME ? 'game' : pseudonyms === Pseudonyms.OF_EXPORT ? 'export' : 'none',
    filters: used.map(([name]) => name).join(' ') || undefined,
    since: dayOf(since),
    until: dayOf(until),
    sandbox: sandbox || undefined,
  }
}
