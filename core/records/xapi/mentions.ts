import type { NamedActivity } from './activities.ts'
import { activityKey, agentIdentifier, agentKey, type Key } from './identify.ts'
import type { Actor, Statement } from './types.ts'
import { visitAgents } from './terms.ts'

/** An Activity that statements of a batch name, with one definition or none. */
export interface ActivityMention {
  key: Key
  iri: string
  /** The definition as JSON text, as it came. */
  definition?: string
  /** Indexes of these statements. If all of them are stored already, so is this. */
  statements: number[]
}

/** An Agent or identified Group that statements of a batch name, with one name or none. */
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
  /** Adds the Activities and Agents of the prepared statement at this index. */
  add(index: number, statement: Statement, activities: NamedActivity[]): void
}

/** Collects the Activities and Agents of a batch, each mention once, in the order of the input. */
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
    // Definitions are merged in order, so only the latest one can be left out if it repeats.
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
