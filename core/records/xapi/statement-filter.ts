import type { Rules } from './dialect.ts'
import { activityKey, relatedActivityKey, verbKey, type Key } from './identify.ts'
import { agentParameter, iriParameter, uuidParameter } from './parameters.ts'

/**
 * Which statements: what queries, exports, forwards and webhooks ask for, as the messages of the contract and stored
 * jobs have it. What is empty does not filter.
 */
export interface StatementFilter {
  /** JSON of an Agent or identified Group. */
  readonly agent: string
  readonly verb: string
  readonly activity: string
  readonly registration: string
  /** Find the agent, the activity anywhere in a statement. */
  readonly relatedAgents: boolean
  readonly relatedActivities: boolean
  /** ISO 8601: stored strictly after this, stored at or before this. */
  readonly since: string
  readonly until: string
}

/** The filters by key, as the store has them; a missing one does not filter. */
export interface FilterKeys {
  readonly agent?: Key
  /** Key of the same agent among related terms. */
  readonly relatedAgent?: Key
  /** JSON of the authority to match when related agents count. */
  readonly authority?: string
  readonly verb?: Key
  readonly activity?: Key
  readonly relatedActivity?: Key
  readonly registration?: string
}

/** @throws Problem */
export function filterKeys(filter: Partial<StatementFilter>, rules: Rules): FilterKeys {
  const agent = filter.agent ? agentParameter(filter.agent, 'agent', rules) : undefined
  const activity = filter.activity ? iriParameter(filter.activity, 'activity') : undefined
  return {
    agent: agent?.key,
    relatedAgent: filter.relatedAgents ? agent?.relatedKey : undefined,
    authority: filter.relatedAgents && agent ? `{"objectType":"Agent",${agent.identifier.slice(1)}` : undefined,
    activity: activity && activityKey(activity),
    relatedActivity: activity && filter.relatedActivities ? relatedActivityKey(activity) : undefined,
    verb: filter.verb
      ? verbKey(iriParameter(filter.verb, 'verb', 'http://adlnet.gov/expapi/verbs/completed'))
      : undefined,
    registration: uuidParameter(filter.registration ?? '', 'registration'),
  }
}

/** How many filters there are; what is related to one is no further one. */
export const filtersIn = ({ agent, verb, activity, registration }: FilterKeys): number =>
  [agent, verb, activity, registration].filter((key) => key !== undefined).length
