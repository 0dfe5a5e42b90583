import type { NamedActivity } from './activities.ts'
import { agentKey, relatedActivityKey, relatedAgentKey, type Key } from './identify.ts'
import type { Actor, Context, Statement, SubStatement } from './types.ts'

type Visit = (agent: Actor, related: boolean) => void

/**
 * The keys that find a statement beside its columns (xAPI Communication 2.1.3), each once. `agent` finds the members
 * of its actor, and an object that is an Agent or Group. `related_agents` and `related_activities` find what is in its
 * context and SubStatement. The authority has a key only if it is not the credential's.
 */
export function termsOf(statement: Statement, activities: NamedActivity[], ownAuthority = false): Key[] {
  const terms = new Set<Key>()
  const add: Visit = (agent, related) => {
    const key = related ? relatedAgentKey(agent) : agentKey(agent)
    if (key) terms.add(key)
  }
  visitAgents(statement, add)
  if (ownAuthority && statement.authority) visitMembers(statement.authority, add, true)
  for (const { id, related } of activities) if (related) terms.add(relatedActivityKey(id))
  const actor = agentKey(statement.actor)
  if (actor) terms.delete(actor)
  return [...terms]
}

/** Every Agent and Group that a statement names, members included; `related` when only related_agents looks there. */
export function visitAgents(statement: Statement | SubStatement, visit: Visit, related = false): void {
  const { actor, object, context } = statement
  visitMembers(actor, visit, related)
  if (object.objectType === 'Agent' || object.objectType === 'Group') visitMembers(object, visit, related)
  if (object.objectType === 'SubStatement') visitAgents(object, visit, true)
  if (context) visitContext(context, visit)
}

function visitContext(context: Context, visit: Visit): void {
  if (context.instructor) visitMembers(context.instructor, visit, true)
  if (context.team) visitMembers(context.team, visit, true)
  for (const { agent } of context.contextAgents ?? []) visitMembers(agent, visit, true)
  for (const { group } of context.contextGroups ?? []) visitMembers(group, visit, true)
}

function visitMembers(agent: Actor, visit: Visit, related: boolean): void {
  visit(agent, related)
  if (agent.objectType !== 'Group') return
  for (const member of agent.member ?? []) visit(member, related)
}
