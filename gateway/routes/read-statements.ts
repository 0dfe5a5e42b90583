import type { IncomingMessage } from 'node:http'
import { create } from '@bufbuild/protobuf'
import type { StoredAttachment } from '../../gen/lrs/v1/statements_pb.js'
import {
  Form,
  Format,
  GetStatementRequestSchema,
  QueryStatementsRequestSchema,
} from '../../gen/lrs/v1/statements_pb.js'
import { paths } from '../../shared/rest.ts'
import type { Relay } from '../core-connection/relay.ts'
import { etagOf, json } from '../http/answer.ts'
import { invalid } from '../http/failure.ts'
import { count, flag, format, text, type KnownParameters, type ParameterValues } from '../http/head.ts'
import { filterFrom, statementFilters, type StatementFilter } from '../../shared/statement-filters.ts'
import { httpDateOf, isoOf } from '../http/time.ts'
import { withAttachments } from '../http/with-attachments.ts'
import type { Action, RequestContext } from '../resource.ts'

const defaultLimit = '50'
const maxUint32 = 0xffff_ffff
const formats: Readonly<Record<string, Format>> = { ids: Format.IDS, exact: Format.EXACT, canonical: Format.CANONICAL }

const filterParameters: KnownParameters = Object.fromEntries(
  Object.values(statementFilters).map(({ parameter, is }) => [parameter, is === 'flag' ? flag : text]),
)
const query = {
  statementId: text,
  voidedStatementId: text,
  ...filterParameters,
  limit: count,
  format,
  attachments: flag,
  ascending: flag,
  offset: text,
}

/** Asks core only for the time up to which the store is consistent. */
const howFar = create(QueryStatementsRequestSchema, { onlyConsistentThrough: true })

/** Parameters that may be combined with statementId and voidedStatementId (xAPI 1.0.3 Communication 2.1.3). */
const allowedWithId = ['statementId', 'voidedStatementId', 'format', 'attachments']

/** GET of the Statement resource (xAPI 1.0.3 Communication 2.1.3). */
export function readStatements(): Action {
  let latest = 0n

  /** The X-Experience-API-Consistent-Through header for an answer of core. */
  function consistent(micros: bigint): string[] {
    if (micros > latest) latest = micros
    return ['X-Experience-API-Consistent-Through', isoOf(micros)]
  }

  return {
    parameters: query,
    async refusalHeaders(relay, caller) {
      // an older time is also correct for a refusal, but clients that poll expect a current one
      const current = caller && (await relay.call('queryStatements', howFar, caller).catch(() => undefined))
      return consistent(current?.consistentThrough ?? latest)
    },
    async run(context, relay) {
      const { parameters } = context
      const one = parameters.statementId !== undefined || parameters.voidedStatementId !== undefined
      const found = await (one ? getOne : getPage)(context, relay, consistent)
      const { content, headers, attachments, etag } = found
      if (parameters.attachments !== 'true') return json(content, headers, etag)
      const read = ({ sha2 }: StoredAttachment) => relay.attachments.fetch(sha2, context.caller)
      const answer = withAttachments(content, headers, attachments, read)
      return { ...answer, etag: etag && multipartTag(etag, attachments) }
    },
  }
}

interface Content {
  content: readonly Uint8Array[]
  headers: string[]
  attachments: StoredAttachment[]
  /** Only for a single statement. */
  etag?: string
}

type Consistent = (micros: bigint) => string[]

async function getOne(
  { parameters, headers, caller }: RequestContext,
  relay: Relay,
  consistent: Consistent,
): Promise<Content> {
  for (const name in parameters) {
    if (!allowedWithId.includes(name)) throw invalid(name, 'cannot be combined with statementId or voidedStatementId')
  }
  const { statementId = '', voidedStatementId = '' } = parameters
  if (statementId && voidedStatementId) throw invalid('voidedStatementId', 'cannot be combined with statementId')
  const call = create(GetStatementRequestSchema, {
    statementId,
    voidedStatementId,
    form: Form.JSON,
    ...viewOf(parameters, headers),
  })
  const { json: bytes, stored, consistentThrough, attachments } = await relay.call('getStatement', call, caller)
  const extra = consistent(consistentThrough)
  extra.push('Last-Modified', httpDateOf(stored))
  return { content: [bytes], headers: extra, attachments, etag: etagOf(bytes) }
}

async function getPage(
  { parameters, headers, caller }: RequestContext,
  relay: Relay,
  consistent: Consistent,
): Promise<Content> {
  const { limit = defaultLimit } = parameters
  const call = create(QueryStatementsRequestSchema, {
    ...filterIn(parameters),
    limit: Math.min(Number(limit), maxUint32),
    ascending: parameters.ascending === 'true',
    offset: parameters.offset,
    form: Form.JSON_RUN,
    ...viewOf(parameters, headers),
  })
  const { jsonRun, next, consistentThrough, attachments } = await relay.call('queryStatements', call, caller)
  return {
    content: pageOf(jsonRun, moreOf(parameters, limit, next)),
    headers: consistent(consistentThrough),
    attachments,
  }
}

/** The filters of a request, as fields of a call. */
const filterIn = (parameters: ParameterValues): StatementFilter =>
  filterFrom((name) => parameters[statementFilters[name].parameter])

/** Weak, because each answer has another boundary between its parts. */
function multipartTag(etag: string, attachments: readonly StoredAttachment[]): string {
  return `W/${etagOf([etag, ...attachments.flatMap(({ sha2, contentType }) => [sha2, contentType])].join('\n'))}`
}

/** In which form statements are returned. */
function viewOf({ format: name, attachments }: ParameterValues, headers: IncomingMessage['headers']) {
  return {
    format: formats[name ?? 'exact'],
    acceptLanguage: headers['accept-language'] ?? '',
    attachments: attachments === 'true',
  }
}

/** Relative URL of the next page; empty at the end. */
function moreOf(parameters: ParameterValues, limit: string, next: string): string {
  if (next === '') return ''
  let more = `${paths.statements}?`
  for (const name in parameters) {
    if (name !== 'limit' && name !== 'offset') more += `${name}=${encodeURIComponent(parameters[name]!)}&`
  }
  return `${more}limit=${limit}&offset=${encodeURIComponent(next)}`
}

const opening = Buffer.from('{"statements":[')

const pageOf = (run: Uint8Array, more: string): Uint8Array[] => [opening, run, Buffer.from(`],"more":"${more}"}`)]
