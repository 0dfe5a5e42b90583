import type { StatementFilter as Message } from '../gen/lrs/v1/statements_pb.js'

/** Which statements. What is empty does not filter. */
export type StatementFilter = Readonly<Omit<Message, '$typeName' | '$unknown'>>
export type FilterName = keyof StatementFilter

/** What a field on a page of the portal is called. */
interface Field {
  readonly label: string
  /** In the middle of a sentence. */
  readonly words: string
  readonly hint: string
}

interface Described {
  readonly is: 'agent' | 'iri' | 'uuid' | 'text' | 'time' | 'flag'
  /** `time` and `related` are no filters of those who follow. */
  readonly group: 'direct' | 'related' | 'time'
  /** Its query parameter, and what the OpenAPI document says about it. */
  readonly parameter: string
  readonly about: string
  /** Its option on the command line, and what the help says about it. */
  readonly option: readonly [string, string]
  /** The portal has no field for what is related. */
  readonly field?: Field
}

/** All filters of statements: the gateway, the command line and the portal take theirs from here. */
export const statementFilters = {
  agent: {
    is: 'agent',
    group: 'direct',
    parameter: 'agent',
    about: 'The agent, as JSON. In a query: actor or object.',
    option: ['--agent <agent>', 'JSON, an e-mail address, or homePage|name'],
    field: {
      label: 'Learner',
      words: 'learner',
      hint: 'An account as name @ home page, an e-mail address, or an agent as JSON.',
    },
  },
  verb: {
    is: 'iri',
    group: 'direct',
    parameter: 'verb',
    about: 'Only statements with this verb.',
    option: ['--verb <iri>', 'IRI of the verb'],
    field: { label: 'Verb', words: 'verb', hint: 'Its name, such as completed, or its IRI.' },
  },
  activity: {
    is: 'iri',
    group: 'direct',
    parameter: 'activity',
    about: 'Only statements with this Activity as object.',
    option: ['--activity <iri>', 'IRI of the activity'],
    field: { label: 'Activity', words: 'activity', hint: 'The IRI of an activity, such as a level.' },
  },
  registration: {
    is: 'uuid',
    group: 'direct',
    parameter: 'registration',
    about: 'Only what belongs to this registration.',
    option: ['--registration <uuid>', 'registration of the session'],
    field: { label: 'Session', words: 'session', hint: 'The registration, a UUID.' },
  },
  relatedActivities: {
    is: 'flag',
    group: 'related',
    parameter: 'related_activities',
    about: '`activity` is searched at every place of a statement.',
    option: ['--related-activities', 'find the activity anywhere in a statement'],
  },
  relatedAgents: {
    is: 'flag',
    group: 'related',
    parameter: 'related_agents',
    about: '`agent` is searched at every place of a statement.',
    option: ['--related-agents', 'find the agent anywhere in a statement'],
  },
  since: {
    is: 'time',
    group: 'time',
    parameter: 'since',
    about: 'Only what was stored, or changed, after this time.',
    option: ['--since <time>', 'stored after this (ISO 8601)'],
    field: { label: 'From', words: 'first day', hint: 'The first day, UTC.' },
  },
  until: {
    is: 'time',
    group: 'time',
    parameter: 'until',
    about: 'Only what was stored at this time or before.',
    option: ['--until <time>', 'stored until this'],
    field: { label: 'To', words: 'last day', hint: 'The last day, UTC.' },
  },
} as const satisfies Record<FilterName, Described>

type Table = typeof statementFilters
export type Group = Described['group']
export type NamesIn<Of extends Group> = {
  [Name in FilterName]: Table[Name]['group'] extends Of ? Name : never
}[FilterName]

export const filterNames = Object.keys(statementFilters) as FilterName[]

export const namesIn = <Of extends Group>(group: Of): NamesIn<Of>[] =>
  filterNames.filter((name): name is NamesIn<Of> => statementFilters[name].group === group)

/** The fields of the portal, in the order of its form. */
export const filterFields: readonly (readonly [FilterName, Field])[] = filterNames.flatMap((name) => {
  const { field }: Described = statementFilters[name]
  return field ? [[name, field] as const] : []
})

/** A filter, made of texts by name. A flag is set by `true`; what has no text does not filter. */
export const filterFrom = (textOf: (name: FilterName) => string | undefined): StatementFilter =>
  Object.fromEntries(
    filterNames.map((name) => {
      const text = textOf(name) ?? ''
      return [name, statementFilters[name].is === 'flag' ? text === 'true' : text]
    }),
  ) as StatementFilter

/** The part of a filter that forwards and webhooks keep. */
export type KeptFilter = Pick<StatementFilter, 'verb' | 'activity' | 'relatedActivities'>

/** The filters that those who follow have. */
export type FollowFilter = Pick<StatementFilter, NamesIn<'direct'>>

export const followFilter = (filter: StatementFilter): FollowFilter =>
  Object.fromEntries(namesIn('direct').map((name) => [name, filter[name]])) as FollowFilter
