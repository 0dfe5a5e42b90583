import { reasons, type ReasonName } from '../../shared/reasons.ts'
import { spoken, spokenVersions } from '../../shared/headers.ts'
import type { Action, Resource } from '../resource.ts'
import { everywhere, operations, refusalWords, withCredential, type Operation } from './operations.ts'
import { parametersOf } from './parameters.ts'
import { schemaOf, schemas, type Schema } from './schemas.ts'

const description = `The xAPI interface of this learning record store, for games.

Every request to xAPI except About has an \`Authorization\` and \`X-Experience-API-Version\` (${spokenVersions}). With a launch
token the actor of a statement is the learner of the session, whatever is sent.

A 4xx other than 429 means that the request is wrong: do not send it again. 429 and 5xx may be sent again, unchanged, with
growing delay.`

const headers = {
  ETag: { description: 'Names this version of the content.', schema: { type: 'string' } },
  'Last-Modified': { description: 'When it was stored.', schema: { type: 'string' } },
  'X-Experience-API-Consistent-Through': {
    description: 'Everything that was stored up to this time can be found.',
    schema: { type: 'string', format: 'date-time' },
  },
  'X-Experience-API-Version': { description: 'The version of this answer.', schema: { type: 'string' } },
  'X-Request-Id': { description: 'Names the request in the logs of the service.', schema: { type: 'string' } },
}
const ofEveryAnswer = ['X-Experience-API-Version', 'X-Request-Id'] as const

const requestHeader = (
  name: string,
  description: string,
  schema: Schema = { minLength: 1 },
  required = false,
): Schema => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...schema },
})
const versionHeader = requestHeader(
  'X-Experience-API-Version',
  `The version of xAPI: ${spokenVersions}.`,
  { pattern: spoken.source },
  true,
)
const conditionHeaders = [
  requestHeader('If-Match', 'Only if the document has this ETag. A weak one matches nothing.'),
  requestHeader('If-None-Match', 'Only if it has none of these; `*`: if there is none.'),
  requestHeader('If-Unmodified-Since', 'Only if it was not modified after this HTTP date. No date: it does not count.'),
]

/**
 * The OpenAPI 3.1 document of these resources. Paths, methods and parameters are those of the routes, statuses those of
 * the table of reasons.
 * @throws Error when an operation or parameter has no words
 */
export function openApi(resources: readonly Resource[], version: string): Schema {
  return {
    openapi: '3.1.1',
    info: { title: 'Games LRS', summary: 'xAPI for games', version, description, license },
    servers: [{ url: '/' }],
    security: [{ key: [] }, { launchToken: [] }],
    paths: Object.fromEntries(resources.map((resource) => [resource.path, pathOf(resource)])),
    components: { schemas, headers, securitySchemes },
  }
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }
const securitySchemes = {
  key: { type: 'http', scheme: 'basic', description: 'Key and secret of a game. Never in a build that players get.' },
  launchToken: { type: 'http', scheme: 'bearer', description: 'Launch token of a session, from the launch context.' },
}

function pathOf(resource: Resource): Schema {
  const methods = Object.entries(resource.actions).map(([method, action]) => {
    const operation = operations[`${method} ${resource.path}`]
    if (!operation) throw new Error(`gateway/openapi/operations.ts does not describe ${method} ${resource.path}`)
    return [method.toLowerCase(), operationOf(operation, action, resource)] as const
  })
  const get = Object.fromEntries(methods)['get']
  const head = get && { ...get, operationId: `${String(get['operationId'])}Head`, summary: 'The same without a body' }
  return Object.fromEntries(head ? [...methods, ['head', head]] : methods)
}

function operationOf(operation: Operation, action: Action, { open }: Resource): Schema {
  const { id, summary, description: about, body, conditions } = operation
  return {
    operationId: id,
    summary,
    ...(about !== undefined && { description: about }),
    ...(open && { security: [] }),
    parameters: [
      ...(open ? [] : [versionHeader]),
      ...parametersOf(action.parameters),
      ...(conditions ? conditionHeaders : []),
    ],
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: answersOf(operation, open ?? false),
  }
}

const contentOf = (byType: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(Object.entries(byType).map(([type, schema]) => [type, { schema }]))

const headersOf = (names: readonly (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

function answersOf({ success, refusals = [], conditions, body, unavailable }: Operation, open: boolean): Schema {
  const { status, description: about, content, headers: more = [] } = success
  const why: ReasonName[] = [
    ...everywhere,
    ...(open ? [] : withCredential),
    ...refusals,
    ...(conditions ? (['precondition-failed'] as const) : []),
  ]
  return {
    [status]: {
      description: about,
      headers: headersOf([...ofEveryAnswer, ...more]),
      ...(content && { content: contentOf(content) }),
    },
    ...(conditions === 'read' && { 304: { description: 'The client has it: If-None-Match names its ETag.' } }),
    ...refusalsOf(why),
    ...(unavailable && {
      503: { description: 'It cannot answer now.', content: contentOf({ 'application/json': unavailable }) },
    }),
    414: refused('The query is too long.', 'Problem'),
    417: refused('The Expect is not 100-continue.', 'Problem'),
    501: refused('The Transfer-Encoding is not chunked.', 'Problem'),
    ...(body && { 415: refused('The Content-Encoding is none of gzip, deflate, br.', 'Problem') }),
  }
}

const refused = (about: string, schema: 'Problem' | 'Refusal'): Schema => ({
  description: about,
  headers: headersOf(ofEveryAnswer),
  content: contentOf({ 'application/json': schemaOf(schema) }),
})

/** One answer for each status; several reasons may share one. */
function refusalsOf(why: readonly ReasonName[]): Record<number, Schema> {
  const byStatus = Map.groupBy(new Set(why), (reason) => reasons[reason].status)
  return Object.fromEntries(
    Array.from(byStatus, ([status, some]) => [
      status,
      refused(
        some.map((reason) => refusalWords[reason] ?? reason).join(' Or: '),
        some.some((reason) => 'error' in reasons[reason]) ? 'Refusal' : 'Problem',
      ),
    ]),
  )
}
