import { fromJson, toJson, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf'
import {
  Form, Format,
  type GetActivityRequest, type GetActivityResponseSchema, type GetPersonRequest, type GetPersonResponseSchema,
  type GetStatementRequest, type GetStatementResponseSchema, type QueryStatementsRequest, type QueryStatementsResponseSchema,
  type StoreStatementsRequest, type StoreStatementsResponseSchema,
} from '../../gen/lrs/v1/statements_pb.js'
import { StatementSchema, type Statement } from '../../gen/lrs/v1/xapi_pb.js'
import { storeStatements } from '../command/store-statements.ts'
import { getActivity, getPerson } from '../query/knowledge.ts'
import { getStatement, queryStatements, type Presentation } from '../query/statements.ts'
import type { Scope } from '../store/credentials.ts'
import { Problem } from '../xapi/problem.ts'
import type { Operation } from './operation.ts'

const read = (): Scope[] => ['statements/read/mine', 'statements/read', 'all/read']

export const store: Operation<StoreStatementsRequest, MessageInitShape<typeof StoreStatementsResponseSchema>> = {
  scopes: () => ['statements/write'],
  counts: ({ statementId }, { key }) => ({ bucket: statementId === '' ? 'post-statements' : 'put-statements', owner: key }),
  run: async ({ ingest }, caller, { json, statements, statementId }) => ({
    ids: await storeStatements(ingest, caller, json.byteLength > 0 ? json : jsonOf(statements), statementId || undefined),
  }),
}

export const get: Operation<GetStatementRequest, MessageInitShape<typeof GetStatementResponseSchema>> = {
  scopes: read,
  run: async (core, caller, request) => {
    const { statementId, voidedStatementId } = request
    if (statementId !== '' && voidedStatementId !== '') throw new Problem('statementId', 'cannot be combined with voidedStatementId')
    const voided = voidedStatementId !== ''
    const { json, ...place } = await getStatement(core.store, caller, voided ? voidedStatementId : statementId, voided, presentationOf(request))
    const { stored, consistentThrough } = place
    const form = request.form === Form.TYPED ? { statement: typed(json) } : { json: Buffer.from(json) }
    return { ...form, stored: BigInt(stored), consistentThrough: BigInt(consistentThrough) }
  },
}

export const query: Operation<QueryStatementsRequest, MessageInitShape<typeof QueryStatementsResponseSchema>> = {
  scopes: read,
  run: async (core, caller, request) => {
    const { statements, next, consistentThrough } = await queryStatements(core.store, caller, request, presentationOf(request))
    const form = request.form === Form.TYPED ? { statements: statements.map(typed) } : { json: statements.map((json) => Buffer.from(json)) }
    return { ...form, next, consistentThrough: BigInt(consistentThrough) }
  },
}

export const person: Operation<GetPersonRequest, MessageInitShape<typeof GetPersonResponseSchema>> = {
  scopes: () => [...read(), 'profile'],
  run: async (core, caller, { agent }) => ({ json: Buffer.from(await getPerson(core.store, caller, agent)) }),
}

export const activity: Operation<GetActivityRequest, MessageInitShape<typeof GetActivityResponseSchema>> = {
  scopes: () => [...read(), 'profile'],
  run: async (core, caller, { activityId }) => ({ json: Buffer.from(await getActivity(core.store, caller, activityId)) }),
}

const formats = { [Format.UNSPECIFIED]: 'exact', [Format.EXACT]: 'exact', [Format.IDS]: 'ids', [Format.CANONICAL]: 'canonical' } as const

function presentationOf({ format, acceptLanguage }: GetStatementRequest | QueryStatementsRequest): Presentation {
  return { format: formats[format] ?? 'exact', acceptLanguage }
}

/** A typed message's ProtoJSON is xAPI JSON. */
function jsonOf(statements: Statement[]): Buffer {
  try {
    return Buffer.from(JSON.stringify(statements.map((statement) => toJson(StatementSchema, statement))))
  } catch (error) {
    // an extension without a value, or one that JSON has no number for
    throw new Problem('statements', `must have a JSON form: ${(error as Error).message}`)
  }
}

function typed(json: string): Statement {
  const options = { ignoreUnknownFields: true }
  try {
    return fromJson(StatementSchema, JSON.parse(json) as JsonValue, options)
  } catch {
    return fromJson(StatementSchema, JSON.parse(json, nearest) as JsonValue, options)
  }
}

/** What Protobuf cannot hold becomes what is nearest: U+FFFD for lone surrogates, the largest double for numbers beyond it. */
function nearest(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (value === Infinity || value === -Infinity) return Math.sign(value) * Number.MAX_VALUE
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), member]))
}
