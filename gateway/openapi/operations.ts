import { reasons, type ReasonName } from '../../shared/reasons.ts'
import { inBytes, sizes } from '../../shared/limits.ts'
import { paths } from '../../shared/rest.ts'
import { schemaOf, type Schema } from './schemas.ts'

/** What the routes do not say of themselves: words, contents, and answers. */
export interface Operation {
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** The body of the request, by media type. */
  readonly body?: Readonly<Record<string, Schema>>
  readonly success: Success
  /** Reasons for a refusal that only some operations have. */
  readonly refusals?: readonly ReasonName[]
  /** If-Match, If-None-Match and If-Unmodified-Since count. */
  readonly conditions?: 'read' | 'write'
  /** Content of the answer 503, if it is not a refusal. */
  readonly unavailable?: Schema
}

interface Success {
  readonly status: 200 | 204
  readonly description: string
  readonly content?: Readonly<Record<string, Schema>>
  /** Further headers of the answer. */
  readonly headers?: readonly ('ETag' | 'Last-Modified' | 'X-Experience-API-Consistent-Through')[]
}

const json = (schema: Schema) => ({ 'application/json': schema })
const bytes: Schema = { type: 'string', format: 'binary' }
const multipart = { 'multipart/mixed': { ...bytes, description: 'Statements, then contents of attachments.' } }
const statementOrMany: Schema = {
  anyOf: [schemaOf('Statement'), { type: 'array', items: schemaOf('Statement'), maxItems: sizes.statementsPerRequest }],
}
const stored: Success = { status: 204, description: 'Stored, or it was stored before.' }
const changed: Success = { status: 204, description: 'Done.' }
const written: Success = { ...changed, headers: ['ETag'] }
const storing: readonly ReasonName[] = ['too-large', 'rate-limited', 'game-full']
const bodySize = `The body has at most ${inBytes(sizes.statementsBody)}.`

const documentOrIds: Success = {
  status: 200,
  description: 'With an id the document, with the Content-Type that it was stored with; without one the ids.',
  content: { 'application/json': { description: 'Ids, or a document of JSON.' }, '*/*': bytes },
  headers: ['ETag', 'Last-Modified'],
}

/** Operations of a document resource. @param scope in words, such as `an agent and activity` */
function documents(path: string, name: string, scope: string, versions: string): Record<string, Operation> {
  const kind = `${name === 'State' ? 'a' : 'an'} ${name.toLowerCase()}`
  const document = { '*/*': bytes }
  const id = name.replaceAll(' ', '')
  const write = { refusals: ['conflict', ...storing] as const, conditions: 'write' as const }
  return {
    [`PUT ${path}`]: {
      id: `put${id}`,
      summary: `Store or replace ${kind} document`,
      description: `At most ${inBytes(sizes.document)} of any content. ${versions}`,
      body: document,
      success: written,
      ...write,
    },
    [`POST ${path}`]: {
      id: `merge${id}`,
      summary: `Merge JSON into ${kind} document`,
      description: 'The properties of the object that is sent replace those of the stored object.',
      body: json({ type: 'object' }),
      success: written,
      ...write,
    },
    [`GET ${path}`]: {
      id: `get${id}`,
      summary: `Get ${kind} document, or the ids of all of ${scope}`,
      success: documentOrIds,
      refusals: ['not-found', 'rate-limited'],
      conditions: 'read',
    },
    [`DELETE ${path}`]: {
      id: `delete${id}`,
      summary: `Delete ${kind} document, or all of ${scope}`,
      success: changed,
      refusals: ['conflict', 'rate-limited'],
      conditions: 'write',
    },
  }
}

const conditional =
  'Version 2.0 needs If-Match or If-None-Match: 400 without for a new document, 409 for one that exists.'

/** By method and path. */
export const operations: Readonly<Record<string, Operation>> = {
  [`POST ${paths.statements}`]: {
    id: 'postStatements',
    summary: 'Store statements',
    description:
      `One statement or up to ${sizes.statementsPerRequest}. All are stored, or none. A statement whose id is stored ` +
      `already is skipped, so the same request can be sent again. ${bodySize}`,
    body: { ...json(statementOrMany), ...multipart },
    success: { status: 200, description: 'Their ids, in their order.', content: json(schemaOf('Ids')) },
    refusals: ['too-many-statements', 'conflict', ...storing],
  },
  [`PUT ${paths.statements}`]: {
    id: 'putStatement',
    summary: 'Store a statement under an id',
    description: bodySize,
    body: { ...json(schemaOf('Statement')), ...multipart },
    success: stored,
    refusals: ['conflict', ...storing],
  },
  [`GET ${paths.statements}`]: {
    id: 'getStatements',
    summary: 'Get one statement, or a page of those that all filters find',
    description: 'statementId and voidedStatementId go with `format` and `attachments` only.',
    success: {
      status: 200,
      description: 'With an id the statement, without one a page, the newest first. Several pages are one set.',
      content: {
        ...json({ anyOf: [schemaOf('StatementResult'), schemaOf('StoredStatement')] }),
        ...multipart,
      },
      headers: ['X-Experience-API-Consistent-Through', 'ETag', 'Last-Modified'],
    },
    refusals: ['not-found'],
    conditions: 'read',
  },
  ...documents(paths.state, 'State', 'a learner in an activity', conditional),
  ...documents(
    paths.activityProfile,
    'Activity profile',
    'an activity',
    `${conditional} So does 1.0.3 with \`LRS_DIALECT=xapi\`.`,
  ),
  ...documents(
    paths.agentProfile,
    'Agent profile',
    'an agent',
    `${conditional} So does 1.0.3 with \`LRS_DIALECT=xapi\`.`,
  ),
  [`GET ${paths.gameDocument}`]: {
    id: 'getGameDocument',
    summary: 'Get a document that the studio wrote for its game, or the ids of all',
    description:
      'No resource of xAPI. Such as settings that change without a new build; the studio writes it in the portal.',
    success: documentOrIds,
    refusals: ['not-found', 'rate-limited'],
    conditions: 'read',
  },
  [`GET ${paths.agents}`]: {
    id: 'getPerson',
    summary: 'Get what is known of an agent',
    success: {
      status: 200,
      description: 'Names and identifiers.',
      content: json(schemaOf('Person')),
      headers: ['ETag'],
    },
    refusals: ['not-found'],
    conditions: 'read',
  },
  [`GET ${paths.activities}`]: {
    id: 'getActivity',
    summary: 'Get the definition of an Activity',
    description:
      'Merged from all statements with it. An unknown one is 404; with `LRS_DIALECT=xapi` and in version 2.0 it is ' +
      'an Activity without definition.',
    success: {
      status: 200,
      description: 'The Activity.',
      content: json(schemaOf('Activity')),
      headers: ['ETag'],
    },
    refusals: ['not-found'],
    conditions: 'read',
  },
  [`GET ${paths.about}`]: {
    id: 'getAbout',
    summary: 'Get the versions of xAPI that are supported',
    success: { status: 200, description: 'Versions.', content: json(schemaOf('About')) },
  },
  'GET /healthz': {
    id: 'getHealth',
    summary: 'Ask whether the gateway runs',
    success: { status: 200, description: 'It runs.', content: json(schemaOf('Health')) },
  },
  'GET /readyz': {
    id: 'getReadiness',
    summary: 'Ask whether statements can be stored',
    success: { status: 200, description: 'They can.', content: json(schemaOf('Health')) },
    unavailable: schemaOf('Health'),
  },
  'GET /openapi.json': {
    id: 'getOpenApi',
    summary: 'Get this document',
    success: { status: 200, description: 'OpenAPI 3.1.', content: json({ type: 'object' }) },
  },
  'GET /openapi': {
    id: 'getOpenApiPage',
    summary: 'Read this document as a page',
    success: { status: 200, description: 'The page.', content: { 'text/html': { type: 'string' } } },
  },
}

/** Why every operation may refuse a request. */
export const everywhere: readonly ReasonName[] = ['invalid', 'internal', 'unavailable']
/** The same with a credential. */
export const withCredential: readonly ReasonName[] = ['unauthenticated', 'forbidden']

/** Why a refusal has its status, and what its body is. */
export const refusalWords: Partial<Record<ReasonName, string>> = {
  invalid: 'Something in the request is wrong; do not send it again.',
  unauthenticated: 'Authorization is missing or not valid (any more).',
  forbidden: 'The credential does not allow it.',
  'not-found': 'There is no such thing.',
  conflict: 'It contradicts what is stored.',
  'precondition-failed': 'If-Match or If-None-Match does not hold.',
  'too-many-statements': reasons['too-many-statements'].error,
  'too-large': reasons['too-large'].error,
  'rate-limited': `${reasons['rate-limited'].error}. Send the same request later, with growing delay.`,
  'game-full': reasons['game-full'].error,
  internal: 'A fault of the service. Send the same request later.',
  unavailable: 'The service cannot answer now. Send the same request later, with growing delay.',
}
