import { actorKey, agentKey, type Key } from './identify.ts'
import { parse } from './json.ts'
import { members, splice, type Edit } from './spans.ts'
import type { Actor, Statement } from './types.ts'
import { inEach, inStatement, type Walk } from './walk.ts'

/** The agent that replaces an erased one. */
export interface Pseudonym {
  readonly homePage: string
  readonly name: string
}

const signature = 'http://adlnet.gov/expapi/attachments/signature'

/** Whether the statement is the agent's own: actor or object. */
export function isOwn({ actor, object }: Statement, agent: Key): boolean {
  const isAgent = object.objectType === 'Agent' || object.objectType === 'Group'
  return agentKey(actor) === agent || (isAgent && agentKey(object) === agent)
}

/** Whether the statement must go: it is the agent's own, or it is signed, and the signature repeats the agent. */
export function mustGo(statement: Statement, agent: Key): boolean {
  return isOwn(statement, agent) || (statement.attachments ?? []).some(({ usageType }) => usageType === signature)
}

/**
 * A stored statement with the pseudonym in place of the agent, and the new key of its actor. All other bytes stay.
 */
export function forget(body: string, agent: Key, pseudonym: Pseudonym): { body: string; actor: Key } {
  const edits: Edit[] = []
  const replace: Walk<Edit> = (text, start) => {
    const list = members(text, start)
    const [first, last] = [list[0], list.at(-1)]
    if (!first || !last) return
    const actor = parse(`{${text.slice(first.keyStart, last.valueEnd)}}`) as Actor
    if (agentKey(actor) === agent)
      edits.push({ start: first.keyStart, end: last.valueEnd, text: insideOf(actor, pseudonym) })
    else for (const { key, valueStart } of list) if (key === 'member') inEach(replace)(text, valueStart, edits)
  }
  inStatement(replace, nowhere, nowhere)(body, 0, edits)
  const forgotten = splice(body, 0, body.length, edits)
  return { body: forgotten, actor: actorKey((parse(forgotten) as Statement).actor) }
}

const nowhere: Walk<Edit> = () => {}

const insideOf = ({ objectType = 'Agent' }: Actor, account: Pseudonym) =>
  JSON.stringify({ objectType, account }).slice(1, -1)
