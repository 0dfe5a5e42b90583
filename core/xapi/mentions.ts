import type { NamedActivity } from './activities.ts'
import { activityKey, agentIdentifier, agentKey, type Key } from './identify.ts'
import type { Actor, Statement } from './types.ts'
import { visitAgents } from './terms.ts'

/** That statements of a batch name an Activity, with this definition when there is one. */
export interface ActivityMention {
  key: Key
  iri: string
  /** The definition as JSON text, as it came. */
  definition?: string
  /** Indexes of the prepared statements that say so: when none of them is new, neither is this. */
  statements: number[]
}

/** That statements of a batch name an Agent or identified Group, by this name when there is one. */
export interface AgentMention {
  key: Key
  identifier: string
  /** The name as a JSON string, so that any text can be stored. */
  name?: string
  statements: number[]
}

export interface Mentions {
  activities: ActivityMention[]
  agents: AgentMention[]
  /** Adds what the prepared statement of this index names. */
  add(index: number, statement: Statement, activities: NamedActivity[]): void
}

/** Gathers what the statements of a batch name, equal mentions once, in the order in which they came. */
export function gatherMentions(): Mentions {
  const activities: ActivityMention[] = []
  const agents: AgentMention[] = []
  const bare = new Map<Key, ActivityMention>()
  const defined = new Map<Key, ActivityMention>()
  const named = new Map<string, AgentMention>()

  function addActivity(index: number, { id, definition }: NamedActivity): void {
    const key = activityKey(id)
    const latest = definition === undefined ? bare : defined
    const same = latest.get(key)
    // Each definition is merged after the one before it, so only the latest can stand for an equal one.
    if (same && same.definition === definition) return addOnce(same.statements, index)
    const mention: ActivityMention = { key, iri: id, definition, statements: [index] }
    latest.set(key, mention)
    activities.push(mention)
  }

  function addAgent(index: number, agent: Actor): void {
    const key = agentKey(agent)
    if (!key) return
    const name = agent.name === undefined ? undefined : JSON.stringify(agent.name)
    const same = named.get(key + name)
    if (same) return addOnce(same.statements, index)
    const mention: AgentMention = { key, identifier: agentIdentifier(agent)!, name, statements: [index] }
    named.set(key + name, mention)
    agents.push(mention)
  }

  return {
    activities,
    agents,
    add(index, statement, itsActivities) {
      for (const activity of itsActivities) addActivity(index, activity)
      visitAgents(statement, (agent) => addAgent(index, agent))
    },
  }
}

function addOnce(list: number[], index: number): void {
  if (list.at(-1) !== index) list.push(index)
}
