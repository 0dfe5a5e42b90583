import type { MessageInitShape } from '@bufbuild/protobuf'
import { Format, type QueryStatementsRequestSchema } from '../gen/lrs/v1/statements_pb.js'
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

export const filterOf = ({ agent, format = 'exact', language = '', ...options }: FilterOptions): Filter => ({
  agent: agent === undefined ? '' : agentOf(agent),
  verb: options.verb,
  activity: options.activity,
  registration: options.registration,
  relatedAgents: options.relatedAgents,
  relatedActivities: options.relatedActivities,
  since: options.since,
  until: options.until,
  ascending: options.ascending,
  format: formats[format],
  acceptLanguage: language,
})
