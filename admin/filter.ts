import type { MessageInitShape } from '@bufbuild/protobuf'
import { Format, type QueryStatementsRequestSchema } from '../gen/lrs/v1/statements_pb.js'
import type { WebhookSettings } from '../gen/lrs/v1/webhooks_pb.js'
import { agentOf } from './agent.ts'
import type { OfGame } from './which-key.ts'

/** The options that choose statements. */
export interface FilterOptions extends OfGame {
  readonly agent?: string
  readonly verb?: string
  readonly activity?: string
  readonly registration?: string
  readonly relatedAgents?: true
  readonly relatedActivities?: true
  readonly since?: string
  readonly until?: string
  readonly ascending?: true
  readonly format?: 'exact' | 'ids' | 'canonical'
  readonly language?: string
}

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

export const filterOf = (options: FilterOptions): Filter => ({
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
export const filterFacts = ({ verb, activity, relatedActivities }: KeptFilter): [string, string][] => [
  ['verb', verb],
  ['activity', `${activity}${relatedActivities ? ', anywhere' : ''}`],
]
