import { activityKey, agentIdentifier, agentKey, relatedActivityKey, relatedAgentKey, type Key } from './identify.ts'
import { elements, members, type Edit, type Member } from './spans.ts'
import type { Activity, Actor, Context, Statement, SubStatement } from './types.ts'

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

/** The Activities and Agents that the statements of a batch name, each mention once, in the order of the input. */
export class Mentions {
  readonly activities: ActivityMention[] = []
  readonly agents: AgentMention[] = []
  readonly #bare = new Map<Key, ActivityMention>()
  readonly #defined = new Map<Key, ActivityMention>()
  readonly #named = new Map<string, AgentMention>()

  /**
   * Adds those of the statement at `index`. Returns the keys that find it beside its columns (xAPI Communication
   * 2.1.3), each once. `agent` finds the members of its actor, and an object that is an Agent or Group.
   * `related_agents` and `related_activities` find what is in its context and SubStatement. The authority has a key
   * only if it is not the credential's.
   * @param list the members of the statement in `text`
   * @param actor the key that its column has
   */
  add(index: number, statement: Statement, text: string, list: Member[], actor: Key, ownAuthority = false): Key[] {
    const terms = new Set<Key>()
    visitAgents(statement, (agent, related) => {
      const key = agentKey(agent)
      if (!key) return
      this.#addAgent(index, agent, key)
      if (related) terms.add(relatedAgentKey(agent)!)
      else if (key !== actor) terms.add(key)
    })
    if (ownAuthority && statement.authority) {
      visitMembers(statement.authority, true, (agent) => {
        const key = relatedAgentKey(agent)
        if (key) terms.add(key)
      })
    }
    visitActivities(text, statement, list, (id, definition, related) => {
      this.#addActivity(index, id, definition)
      if (related) terms.add(relatedActivityKey(id))
    })
    return [...terms]
  }

  #addActivity(index: number, iri: string, definition: string | undefined): void {
    const key = activityKey(iri)
    const latest = definition === undefined ? this.#bare : this.#defined
    const same = latest.get(key)
    // Definitions are merged in order, so only the latest one can be left out if it repeats.
    if (same && same.definition === definition) return addOnce(same.statements, index)
    const mention: ActivityMention = { key, iri, definition, statements: [index] }
    latest.set(key, mention)
    this.activities.push(mention)
  }

  #addAgent(index: number, agent: Actor, key: Key): void {
    const name = agent.name === undefined ? undefined : JSON.stringify(agent.name)
    const same = this.#named.get(key + name)
    if (same) return addOnce(same.statements, index)
    const mention: AgentMention = { key, identifier: agentIdentifier(agent)!, name, statements: [index] }
    this.#named.set(key + name, mention)
    this.agents.push(mention)
  }
}

function addOnce(list: number[], index: number): void {
  if (list.at(-1) !== index) list.push(index)
}

type Visit = (agent: Actor, related: boolean) => void

/** Every Agent and Group that a statement names, members included; `related` when only related_agents looks there. */
export function visitAgents(statement: Statement | SubStatement, visit: Visit, related = false): void {
  const { actor, object, context } = statement
  visitMembers(actor, related, visit)
  if (object.objectType === 'Agent' || object.objectType === 'Group') visitMembers(object, related, visit)
  if (object.objectType === 'SubStatement') visitAgents(object, visit, true)
  if (context) visitContext(context, visit)
}

function visitContext(context: Context, visit: Visit): void {
  if (context.instructor) visitMembers(context.instructor, true, visit)
  if (context.team) visitMembers(context.team, true, visit)
  for (const { agent } of context.contextAgents ?? []) visitMembers(agent, true, visit)
  for (const { group } of context.contextGroups ?? []) visitMembers(group, true, visit)
}

function visitMembers(agent: Actor, related: boolean, visit: Visit): void {
  visit(agent, related)
  if (agent.objectType !== 'Group') return
  for (const member of agent.member ?? []) visit(member, related)
}

/**
 * Every Activity that a statement names, with its definition as it came: its object, those of its context, and those
 * of its SubStatement; `related` when only related_activities looks there.
 */
function visitActivities(
  text: string,
  { object, context }: Statement | SubStatement,
  list: Member[],
  visit: (id: string, definition: string | undefined, related: boolean) => void,
  related = false,
): void {
  if (isActivity(object)) {
    visit(object.id, object.definition && definitionIn(text, valueStart(list, 'object')), related)
  }
  if (context?.contextActivities) {
    const activities = Object.values(context.contextActivities).flat()
    // most Activities have no definition: then the text need not be searched
    const starts = activities.some(({ definition }) => definition)
      ? contextActivities(text, list).flatMap((at) =>
          text[at.valueStart] === '[' ? elements(text, at.valueStart).map(({ start }) => start) : at.valueStart,
        )
      : []
    for (const [n, { id, definition }] of activities.entries()) {
      visit(id, definition && definitionIn(text, starts[n]!), true)
    }
  }
  if (object.objectType === 'SubStatement') {
    visitActivities(text, object, members(text, valueStart(list, 'object')), visit, true)
  }
}

/** The edits that make an array of each single Activity in contextActivities (xAPI 1.0.3 Data 2.4.6.2). */
export function singlesAsArrays(text: string, { object, context }: Statement | SubStatement, list: Member[]): Edit[] {
  const edits: Edit[] = []
  if (!Object.values(context?.contextActivities ?? {}).every(Array.isArray)) {
    for (const { valueStart: start, valueEnd: end } of contextActivities(text, list)) {
      if (text[start] !== '[') edits.push({ start, end, text: `[${text.slice(start, end)}]` })
    }
  }
  if (object.objectType !== 'SubStatement') return edits
  return [...edits, ...singlesAsArrays(text, object, members(text, valueStart(list, 'object')))]
}

/** The members of contextActivities in the text of a statement with these members. */
function contextActivities(text: string, list: Member[]): Member[] {
  return members(text, valueStart(members(text, valueStart(list, 'context')), 'contextActivities'))
}

/** The definition of the Activity at text[start]. */
function definitionIn(text: string, start: number): string {
  const member = members(text, start).find(({ key }) => key === 'definition')!
  return text.slice(member.valueStart, member.valueEnd)
}

function valueStart(list: Member[], key: string): number {
  return list.find((member) => member.key === key)!.valueStart
}

/** An object without objectType is an Activity (xAPI Data 2.4.4). */
export function isActivity(object: Statement['object']): object is Activity {
  return object.objectType === undefined || object.objectType === 'Activity'
}
