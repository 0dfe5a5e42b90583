import {
  namesIn,
  type FollowFilter,
  type KeptFilter,
  type NamesIn,
  type StatementFilter,
} from '../../../shared/statement-filters.ts'
import type { Rules } from './dialect.ts'
import { activityKey, relatedActivityKey, verbKey, type Key } from './identify.ts'
import { agentParameter, iriParameter, uuidParameter } from './parameters.ts'

/** The filters by key, as the store has them; a missing one does not filter. */
export interface FilterKeys extends Readonly<Partial<Record<NamesIn<'direct'>, Key>>> {
  /** Key of the same agent among related terms. */
  readonly relatedAgent?: Key
  /** JSON of the authority to match when related agents count. */
  readonly authority?: string
  readonly relatedActivity?: Key
}

/** The filters of a query, of those who follow, or of a forward or a webhook. */
export type SomeFilters = (FollowFilter | KeptFilter) & Partial<StatementFilter>

/** @throws Problem */
export function filterKeys(filter: SomeFilters, rules: Rules): Record<keyof FilterKeys, string | undefined> {
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

const direct = namesIn('direct')

/** How many filters there are; what is related to one is no further one. */
export const filtersIn = (keys: FilterKeys): number => direct.filter((name) => keys[name] !== undefined).length
