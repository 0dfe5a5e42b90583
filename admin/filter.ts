import type { MessageInitShape } from '@bufbuild/protobuf'
import { Format, type QueryStatementsRequestSchema } from '../gen/lrs/v1/statements_pb.js'
import type { WebhookSettings } from '../gen/lrs/v1/webhooks_pb.js'
import { agentOf } from './agent.ts'
import type { Values } from './command.ts'

export const ofGame = {
  '--game <game>': 'id or slug of the game',
  '--key <key>': 'or the key of a credential; its scopes limit what you see',
}
export const filtered = {
  '--agent <agent>': 'JSON, an e-mail address, or homePage|name',
  '--verb <iri>': 'IRI of the verb',
  '--activity <iri>': 'IRI of the activity',
  '--registration <uuid>': 'registration of the session',
}
export const timed = { '--since <time>': 'stored after this (ISO 8601)', '--until <time>': 'stored until this' }
export const related = {
  '--related-agents': 'find the agent anywhere in a statement',
  '--related-activities': 'find the activity anywhere in a statement',
}
export const presented = {
  '--format <format>': { about: 'format of each statement, as in xAPI', choices: ['exact', 'ids', 'canonical'] },
  '--language <languages>': 'languages for canonical, as in Accept-Language',
} as const

/** The options that choose statements. */
export type FilterOptions = Values<typeof ofGame & typeof filtered & typeof timed & typeof related & typeof presented>

export type Filter = Exclude<MessageInitShape<typeof QueryStatementsRequestSchema>, { $typeName: string }>

const formats = { exact: Format.EXACT, ids: Format.IDS, canonical: Format.CANONICAL }

/** Which statements. */
export const statementFilterOf = ({ agent, ...options }: FilterOptions) => ({
  agent: agent === undefined ? '' : agentOf(agent),
  verb: options.verb,
  activity: options.activity,
  registration: options.registration,
  relatedAgents: options.relatedAgents,
  relatedActivities: options.relatedActivities,
  since: options.since,
  until: options.until,
})

export const filterOf = (options: FilterOptions & { readonly ascending?: boolean }): Filter => ({
  ...statementFilterOf(options),
  ascending: options.ascending,
  format: formats[options.format ?? 'exact'],
  acceptLanguage: options.language ?? '',
})

/** The options that choose what a forward or a webhook is about. */
export interface KeptOptions {
  readonly verb?: string
  readonly activity?: string
  readonly related?: boolean
}

type KeptFilter = Pick<WebhookSettings, 'verb' | 'activity' | 'relatedActivities'>

/** What is not given stays as it was. */
export const keptFilterOf = ({ verb, activity, related }: KeptOptions, old?: KeptFilter): KeptFilter => ({
  verb: verb ?? old?.verb ?? '',
  activity: activity ?? old?.activity ?? '',
  relatedActivities: related ?? old?.relatedActivities ?? false,
})

/** The filter for people. */
export const filterFacts = ({ verb, activity, relatedActivities }: KeptFilter) => ({
  verb,
  activity: `${activity}${relatedActivities ? ', anywhere' : ''}`,
})
