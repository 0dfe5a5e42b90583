/** JSON Schema (2020-12) of what games send and get: xAPI 1.0.3 Data 2, and IEEE 9274.1.1 where 2.0 adds something. */
export type Schema = Readonly<Record<string, unknown>>

export const schemaOf = (name: keyof typeof schemas): Schema => ({ $ref: `#/components/schemas/${name}` })

const iri: Schema = { type: 'string', format: 'iri', description: 'An absolute IRI.' }
const uuid: Schema = { type: 'string', format: 'uuid' }
const time: Schema = { type: 'string', format: 'date-time', description: 'RFC 3339, with a time zone.' }
const text: Schema = { type: 'string' }
const any: Schema = {}

const languageMap: Schema = {
  type: 'object',
  description: 'Text by language tag (RFC 5646).',
  additionalProperties: text,
  examples: [{ en: 'Level 1' }],
}
const extensions: Schema = { type: 'object', description: 'Any JSON by IRI.', additionalProperties: any }
const list = (items: Schema): Schema => ({ type: 'array', items })

/** An object that has no other properties than these. */
const only = (properties: Record<string, Schema>, required: readonly string[] = [], more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
  ...more,
})

const identifiers = {
  mbox: { type: 'string', pattern: '^mailto:', description: 'A mailto IRI.' },
  mbox_sha1sum: { type: 'string', pattern: '^[0-9a-fA-F]{40}$', description: 'SHA-1 of the mailto IRI, hexadecimal.' },
  openid: { type: 'string', format: 'uri' },
  account: only({ homePage: iri, name: text }, ['homePage', 'name']),
}
/** Exactly one of the four identifiers. */
const identified = { oneOf: Object.keys(identifiers).map((name) => ({ required: [name] })) }
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const actor: Schema = { anyOf: [ref('Agent'), ref('Group')] }

const interaction = list(only({ id: text, description: languageMap }, ['id']))
const definition = only({
  name: languageMap,
  description: languageMap,
  type: iri,
  moreInfo: iri,
  extensions,
  interactionType: {
    enum: [
      'true-false',
      'choice',
      'fill-in',
      'long-fill-in',
      'matching',
      'performance',
      'sequencing',
      'likert',
      'numeric',
      'other',
    ],
  },
  correctResponsesPattern: list(text),
  choices: interaction,
  scale: interaction,
  source: interaction,
  target: interaction,
  steps: interaction,
})

const score = only({
  scaled: { type: 'number', minimum: -1, maximum: 1 },
  raw: { type: 'number' },
  min: { type: 'number' },
  max: { type: 'number' },
})

const timestamp: Schema = {
  type: 'string',
  pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:\d\d)?)?$`,
  description:
    'RFC 3339. By default version 1.0.3 also takes it without zone (it is UTC then), seconds, or minutes of the offset.',
}

/** What statements and SubStatements share. */
const said = {
  actor,
  verb: ref('Verb'),
  result: ref('Result'),
  context: ref('Context'),
  timestamp,
  attachments: list(ref('Attachment')),
}
const activities: Schema = { anyOf: [ref('Activity'), list(ref('Activity'))] }

const path: Schema = { type: 'string', description: 'The place in the input, such as `statements[0].verb.id`.' }
const problem = only(
  {
    message: { type: 'string', description: 'What is wrong, where, and what to do.' },
    path,
    faults: {
      ...list(only({ index: { type: 'integer', minimum: 0 }, path, message: text }, ['index', 'path', 'message'])),
      description:
        'Every bad statement of a batch, with the first that is wrong with each; `index` counts from 0. ' +
        'Without them the batch can be sent again.',
    },
  },
  ['message'],
)

export const schemas = {
  Agent: only({ objectType: { const: 'Agent' }, name: text, ...identifiers }, [], identified),
  Group: only({ objectType: { const: 'Group' }, name: text, member: list(ref('Agent')), ...identifiers }, [
    'objectType',
  ]),
  Verb: only({ id: iri, display: languageMap }, ['id']),
  Activity: only({ objectType: { const: 'Activity' }, id: iri, definition }, ['id']),
  StatementRef: only({ objectType: { const: 'StatementRef' }, id: uuid }, ['objectType', 'id']),
  Result: only({
    score,
    success: { type: 'boolean' },
    completion: { type: 'boolean' },
    response: text,
    duration: { type: 'string', description: 'ISO 8601, such as `PT3M12.5S`.' },
    extensions,
  }),
  Context: only({
    registration: uuid,
    instructor: actor,
    team: ref('Group'),
    contextActivities: only({ parent: activities, grouping: activities, category: activities, other: activities }),
    contextAgents: { type: 'array', description: 'Version 2.0 only.' },
    contextGroups: { type: 'array', description: 'Version 2.0 only.' },
    revision: text,
    platform: text,
    language: text,
    statement: ref('StatementRef'),
    extensions,
  }),
  Attachment: only(
    {
      usageType: iri,
      display: languageMap,
      description: languageMap,
      contentType: text,
      length: { type: 'integer', minimum: 0, description: 'Bytes.' },
      sha2: { type: 'string', description: 'SHA-2 of the content, hexadecimal.' },
      fileUrl: iri,
    },
    ['usageType', 'display', 'contentType', 'length', 'sha2'],
  ),
  SubStatement: only(
    {
      objectType: { const: 'SubStatement' },
      ...said,
      object: { anyOf: [actor, ref('Activity'), ref('StatementRef')] },
    },
    ['objectType', 'actor', 'verb', 'object'],
  ),
  Statement: only(
    {
      id: { ...uuid, description: 'Send one, so that the statement can be sent again. Assigned if missing.' },
      ...said,
      object: { anyOf: [actor, ref('Activity'), ref('StatementRef'), ref('SubStatement')] },
      stored: { ...time, description: 'Replaced by the service.' },
      authority: { ...actor, description: 'Replaced by the credential of the request.' },
      version: text,
    },
    ['actor', 'verb', 'object'],
  ),
  StoredStatement: {
    allOf: [ref('Statement')],
    required: ['id', 'actor', 'verb', 'object', 'stored', 'timestamp', 'authority', 'version'],
  },
  StatementResult: only(
    {
      statements: list(ref('StoredStatement')),
      more: {
        type: 'string',
        description: 'Path and query of the next page, relative to the address of the service. Empty at the end.',
      },
    },
    ['statements', 'more'],
  ),
  Person: only(
    {
      objectType: { const: 'Person' },
      name: list(text),
      mbox: list(text),
      mbox_sha1sum: list(text),
      openid: list(text),
      account: list(identifiers.account),
    },
    ['objectType'],
  ),
  Ids: list(text),
  About: only({ version: list(text), extensions: { type: 'object' } }, ['version', 'extensions']),
  Problem: problem,
  Refusal: only({ error: { type: 'string', description: 'A fixed text.' } }, ['error']),
  Health: only({ status: { enum: ['ok', 'unavailable'] }, reason: text }, ['status']),
} satisfies Record<string, Schema>
