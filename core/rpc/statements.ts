import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  Form,
  Format,
  type GetActivityRequest,
  type GetActivityResponseSchema,
  type GetPersonRequest,
  type GetPersonResponseSchema,
  type GetStatementRequest,
  type GetStatementResponseSchema,
  type QueryStatementsRequest,
  type QueryStatementsResponseSchema,
  type StoreStatementsRequest,
  type StoreStatementsResponseSchema,
} from '../../gen/lrs/v1/statements_pb.js'
import type { Caller } from '../access/caller.ts'
import { storeStatements, type Submission } from '../command/store-statements.ts'
import { getActivity, getPerson } from '../query/knowledge.ts'
import { present, presentRun } from '../query/present.ts'
import { getStatement, queryStatements, type Presentation } from '../query/statements.ts'
import type { StoredAttachment } from '../store/cell/attachments.ts'
import { allowances, sizes } from '../../shared/limits.ts'
import type { Counted } from '../rate-limiter.ts'
import type { Scope } from '../store/cell/credentials.ts'
import type { Core } from '../context.ts'
import type { Stored } from '../xapi/exact.ts'
import { Problem } from '../xapi/problem.ts'
import type { Operation } from './operation.ts'
import { jsonOf, typed } from './typed.ts'

const MiB = 1024 * 1024

/** The scopes that read statements. */
export const read = (): Scope[] => ['statements/read/mine', 'statements/read', 'all/read']

/** The fields that StoreStatements and a request of its stream share. */
type Sent = Pick<StoreStatementsRequest, 'json' | 'statements' | 'statementId'> & { readonly tooMany?: boolean }

export const store: Operation<Sent, MessageInitShape<typeof StoreStatementsResponseSchema>> = {
  scopes: () => ['statements/write'],
  counts: ({ statementId }, caller) => bucketOf(statementId, caller),
  bypassesFairQueue: true,
  run: async (core, caller, request) => ({
    ids: await storeStatements(core, caller, submissionOf(request)),
  }),
  view: {
    name: nameOf,
    sent: (request) => submissionOf(request).json,
    outcome: ({ statementId }, { ids = [] }) => stored(statementId, ids.length),
  },
}

export const get: Operation<GetStatementRequest, MessageInitShape<typeof GetStatementResponseSchema>> = {
  scopes: read,
  // the attachments are a query of their own
  bypassesFairQueue: ({ attachments }) => !attachments,
  run: async (core, caller, request) => {
    const { statementId, voidedStatementId } = request
    if (statementId !== '' && voidedStatementId !== '')
      throw new Problem('statementId', 'cannot be combined with voidedStatementId')
    const voided = voidedStatementId !== ''
    const how = presentationOf(request)
    const found = await getStatement(core.store, caller, voided ? voidedStatementId : statementId, voided, how)
    const { statement, consistentThrough, attachments } = found
    const [json] = await present(core.work, caller.game, [statement], how)
    const form = request.form === Form.TYPED ? { statement: typed(json!) } : { json }
    return {
      ...form,
      stored: BigInt(statement.stored),
      consistentThrough: BigInt(consistentThrough),
      attachments: attachments.map(contentOf),
    }
  },
  view: { name: reading, outcome: () => ({ status: 200, message: 'read one statement' }) },
}

export const query: Operation<QueryStatementsRequest, MessageInitShape<typeof QueryStatementsResponseSchema>> = {
  scopes: read,
  // the fair queue covers the query only, not the formatting of its result
  bypassesFairQueue: true,
  run: async (core, caller, request) => {
    const how = presentationOf(request)
    const page = await core.fairQueue.run(caller.game, () => queryStatements(core.store, caller, request, how))
    const { statements, next, consistentThrough, attachments } = page
    const content = await inForm(core, caller.game, statements, how, request.form)
    return { ...content, next, consistentThrough: BigInt(consistentThrough), attachments: attachments.map(contentOf) }
  },
  view: {
    name: reading,
    outcome: () => ({ status: 200, message: 'read statements' }),
    // what a gateway asks by itself; gateways of 0.1 ask with this time, so in 0.3 the comparison goes
    hidden: ({ onlyConsistentThrough, since }) => onlyConsistentThrough || since === '9999-12-31T23:59:59Z',
  },
}

export const person: Operation<GetPersonRequest, MessageInitShape<typeof GetPersonResponseSchema>> = {
  scopes: () => [...read(), 'profile'],
  run: async (core, caller, { agent }) => ({ json: Buffer.from(await getPerson(core, caller, agent)) }),
  view: { name: () => 'GET /xapi/agents', outcome: () => ({ status: 200, message: 'read what is known of an agent' }) },
}

export const activity: Operation<GetActivityRequest, MessageInitShape<typeof GetActivityResponseSchema>> = {
  scopes: () => [...read(), 'profile'],
  run: async (core, caller, { activityId }) => ({
    json: Buffer.from(await getActivity(core.store, caller, activityId)),
  }),
  view: {
    name: () => 'GET /xapi/activities',
    outcome: ({ activityId }) => ({ status: 200, message: `read the activity ${activityId}` }),
  },
}

/** A submission as HTTP has it. */
export function nameOf({ statementId }: { statementId?: string }): string {
  return `${statementId ? 'PUT' : 'POST'} /xapi/statements`
}

/** What the studio sees of an accepted submission. */
export function stored(
  statementId: string | undefined,
  count: number,
): { status: number; message: string; statements: number } {
  return { status: statementId ? 204 : 200, message: `stored ${countOf(count)}`, statements: count }
}

function reading(): string {
  return 'GET /xapi/statements'
}

const countOf = (count: number): string => `${count} statement${count === 1 ? '' : 's'}`

/**
 * PUT and POST of statements have separate buckets. Key and secret have one; launch tokens have another, which counts
 * requests beyond their allowances.
 * @param statementId empty or missing: POST
 */
export function bucketOf(statementId: string | undefined, { key, learner }: Caller): Counted {
  const bucket = statementId ? 'put-statements' : 'post-statements'
  if (!learner) return { bucket, owner: key }
  const allowance = [
    { owner: `${key} ${learner.agent}`, limit: allowances.learner.limit },
    ...(learner.network === undefined ? [] : [{ owner: `${key} ${learner.network}`, limit: allowances.network.limit }]),
    { owner: `${key} all`, limit: allowances.game.limit },
  ]
  return { bucket, owner: `${key} launched`, allowance }
}

/** A page as it is to travel; as one run it is one array of bytes, however many statements there are. */
async function inForm({ work }: Core, game: number, statements: readonly Stored[], how: Presentation, form: Form) {
  if (form === Form.JSON_RUN) return { jsonRun: await presentRun(work, game, statements, how) }
  const json = await present(work, game, statements, how)
  return form === Form.TYPED ? { statements: json.map(typed) } : { json }
}

const formats = {
  [Format.UNSPECIFIED]: 'exact',
  [Format.EXACT]: 'exact',
  [Format.IDS]: 'ids',
  [Format.CANONICAL]: 'canonical',
} as const

/**
 * Bytes of JSON in a page of each form, so that its message stays well below the 4 MiB that gRPC clients accept by
 * default: JSON may be sent in base64, and a number of two bytes takes eleven in a typed message. Typed pages are
 * smallest, since core's own thread makes them.
 */
const pageBytes: Partial<Record<Form, number>> = { [Form.TYPED]: MiB / 2, [Form.JSON_RUN]: 3 * MiB }

type Presented = Pick<QueryStatementsRequest, 'format' | 'form' | 'acceptLanguage' | 'attachments'>

export function presentationOf({ format, form, acceptLanguage, attachments }: Presented): Presentation {
  return { format: formats[format] ?? 'exact', acceptLanguage, attachments, bytes: pageBytes[form] ?? 2 * MiB }
}

/** What a request wants stored, without what may come along. */
export function submissionOf({ json, statements, statementId, tooMany = false }: Sent): Submission {
  const isTyped = statements.length > 0 && json.byteLength === 0
  // their JSON would be made in vain, however long it takes
  if (isTyped && statements.length > sizes.statementsPerRequest)
    return { json, statementId: statementId || undefined, tooMany: true }
  return { json: isTyped ? jsonOf(statements) : json, statementId: statementId || undefined, tooMany }
}

const contentOf = ({ sha2, contentType, size }: StoredAttachment) => ({ sha2, contentType, size: BigInt(size) })
