import type { KnownParameters, Parameter } from '../http/head.ts'
import { sizes } from '../../shared/limits.ts'
import { statementFilters } from '../../shared/statement-filters.ts'
import { schemaOf, type Schema } from './schemas.ts'

interface Described {
  readonly description: string
  readonly schema: Schema
  /** The value is JSON. */
  readonly json?: true
}

const text: Schema = { type: 'string', minLength: 1 }
const iri: Schema = { type: 'string', format: 'iri' }
const uuid: Schema = { type: 'string', format: 'uuid' }
const time: Schema = { type: 'string', format: 'date-time' }
const flag: Schema = { type: 'boolean', default: false }

const schemas = { agent: schemaOf('Agent'), iri, uuid, text, time, flag }
const describedFilters: Record<string, Described> = Object.fromEntries(
  Object.values(statementFilters).map(({ parameter, is, about }) => [
    parameter,
    { description: about, schema: schemas[is], ...(is === 'agent' && { json: true }) },
  ]),
)

/** What each query parameter means. Which of them a request takes, and which it needs, is in its route. */
const described: Record<string, Described> = {
  statementId: { description: 'Id of a statement.', schema: uuid },
  voidedStatementId: { description: 'Id of a voided statement.', schema: uuid },
  ...describedFilters,
  limit: {
    description: `Statements of a page. 0 and numbers above ${sizes.pageMaximum} mean ${sizes.pageMaximum}.`,
    schema: { type: 'integer', minimum: 0, default: sizes.pageDefault },
  },
  format: {
    description: 'Whole statements as stored, ids only, or with one language as Accept-Language asks.',
    schema: { enum: ['exact', 'ids', 'canonical'], default: 'exact' },
  },
  attachments: { description: 'Answer as multipart/mixed, with the contents of attachments.', schema: flag },
  ascending: { description: 'The oldest first.', schema: flag },
  offset: { description: 'Where the page begins. Only `more` links have it.', schema: text },
  activityId: { description: 'Id of the Activity.', schema: iri },
  stateId: { description: 'Id of the document.', schema: text },
  documentId: { description: 'Id of the document.', schema: text },
  profileId: { description: 'Id of the document.', schema: text },
}

/** The parameters of an action, as an OpenAPI document describes them. */
export const parametersOf = (known: KnownParameters): Schema[] => Object.entries(known).map(parameterOf)

function parameterOf([name, { required }]: [string, Parameter]): Schema {
  const found = described[name]
  if (!found) throw new Error(`gateway/openapi/parameters.ts does not describe ${name}`)
  const { description, schema, json } = found
  return {
    name,
    in: 'query',
    required: required ?? false,
    description,
    ...(json ? { content: { 'application/json': { schema } } } : { schema }),
  }
}
