import type { QueryStatementsRequest } from '../../gen/lrs/v1/statements_pb.js'
import { flag, text, type KnownParameters } from './head.ts'

export type StatementFields = Omit<QueryStatementsRequest, '$typeName' | '$unknown'>

interface StatementFilter {
  readonly field: keyof StatementFields
  readonly is: 'agent' | 'iri' | 'uuid' | 'time' | 'flag'
  /** For the OpenAPI document. */
  readonly about: string
}

/** The parameters that say which statements GET /statements returns, with their fields in the contract. */
export const statementFilters: Readonly<Record<string, StatementFilter>> = {
  agent: { field: 'agent', is: 'agent', about: 'The agent, as JSON. In a query: actor or object.' },
  verb: { field: 'verb', is: 'iri', about: 'Only statements with this verb.' },
  activity: { field: 'activity', is: 'iri', about: 'Only statements with this Activity as object.' },
  registration: { field: 'registration', is: 'uuid', about: 'Only what belongs to this registration.' },
  related_activities: {
    field: 'relatedActivities',
    is: 'flag',
    about: '`activity` is searched at every place of a statement.',
  },
  related_agents: { field: 'relatedAgents', is: 'flag', about: '`agent` is searched at every place of a statement.' },
  since: { field: 'since', is: 'time', about: 'Only what was stored, or changed, after this time.' },
  until: { field: 'until', is: 'time', about: 'Only what was stored at this time or before.' },
}

export const filterParameters: KnownParameters = Object.fromEntries(
  Object.entries(statementFilters).map(([name, { is }]) => [name, is === 'flag' ? flag : text]),
)
