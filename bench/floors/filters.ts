import {
  activityKey,
  agentKey,
  relatedActivityKey,
  relatedAgentKey,
  verbKey,
} from '../../core/records/xapi/identify.ts'
import { agentOf, relatedAgentOf, type Target } from '../targets.ts'
import type { Wanted } from './page.ts'

/** One kind of page: the parameters of the request, and the same filter in SQL. Its keys are $4 and following. */
export interface Filter extends Pick<Wanted, 'own' | 'terms' | 'ofTarget'> {
  name: string
  parameters(target: Target): Record<string, string>
  keys(target: Target): string[]
  /** Also asked with `ascending`. */
  bothWays?: boolean
}

const nobody = '{"account":{"homePage":"https://play.example.org","name":"nobody"}}'
const key = (agent: string) => agentKey(JSON.parse(agent))!
const groupingOf = ({ statement }: Target) => statement.context.contextActivities.grouping[0]!.id

export const filters: readonly Filter[] = [
  {
    name: 'agent',
    own: 's.actor = $4',
    terms: ['$4'],
    bothWays: true,
    parameters: (target) => ({ agent: agentOf(target) }),
    keys: (target) => [key(agentOf(target))],
  },
  {
    name: 'activity',
    own: 's.activity = $4',
    terms: ['$4'],
    parameters: ({ statement }) => ({ activity: activityOf(statement.object) }),
    keys: ({ statement }) => [activityKey(activityOf(statement.object))],
  },
  {
    name: 'verb',
    own: 's.verb = $4',
    terms: ['$4'],
    bothWays: true,
    parameters: ({ statement }) => ({ verb: statement.verb.id }),
    keys: ({ statement }) => [verbKey(statement.verb.id)],
  },
  {
    name: 'verb and agent',
    own: 's.actor = $4 and s.verb = $5',
    terms: ['$4'],
    ofTarget: 't.verb = $5',
    parameters: (target) => ({ agent: agentOf(target), verb: target.statement.verb.id }),
    keys: (target) => [key(agentOf(target)), verbKey(target.statement.verb.id)],
  },
  {
    name: 'registration',
    own: 's.registration = $4',
    terms: ['$4'],
    parameters: ({ statement }) => ({ registration: statement.context.registration }),
    keys: ({ statement }) => [statement.context.registration],
  },
  {
    name: 'related_agents',
    own: 's.actor = $4',
    terms: ['$4', '$5'],
    parameters: (target) => ({ agent: relatedAgentOf(target), related_agents: 'true' }),
    keys: (target) => [key(relatedAgentOf(target)), relatedAgentKey(JSON.parse(relatedAgentOf(target)))!],
  },
  {
    name: 'related_activities',
    own: 's.activity = $4',
    terms: ['$4', '$5'],
    parameters: (target) => ({ activity: groupingOf(target), related_activities: 'true' }),
    keys: (target) => [activityKey(groupingOf(target)), relatedActivityKey(groupingOf(target))],
  },
  { name: 'no filter', own: 'true', terms: [], bothWays: true, parameters: () => ({}), keys: () => [] },
  {
    name: 'an agent that does not exist',
    own: 's.actor = $4',
    terms: ['$4'],
    parameters: () => ({ agent: nobody }),
    keys: () => [key(nobody)],
  },
]

/** The activity of the object; for a StatementRef the first level, which every shape has. */
function activityOf({ objectType, id }: Target['statement']['object']): string {
  return objectType === 'StatementRef' ? 'https://play.example.org/worlds/0/levels/0' : id
}
