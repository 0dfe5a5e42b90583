import { agentKey, type Key } from './identify.ts'
import { parse } from './json.ts'
import { members } from './spans.ts'
import { visitAgents } from './mentions.ts'
import type { Statement } from './types.ts'

/**
 * JSON of the Person of an agent, from its identifier and names (xAPI Communication 2.4).
 * @param identifier JSON of the identifier alone, from agentIdentifier
 * @param names JSON strings
 */
export function personOf(identifier: string, names: string[]): string {
  const known = members(identifier).map(({ keyStart, valueStart, valueEnd }) => {
    return `,${identifier.slice(keyStart, valueStart)}[${identifier.slice(valueStart, valueEnd)}]`
  })
  return `{"objectType":"Person","name":[${[...new Set(names)].join(',')}]${known.join('')}}`
}

/** The names by which a stored statement calls an agent, as JSON strings. */
export function namesIn(body: string, agent: Key): string[] {
  const names: string[] = []
  visitAgents(parse(body) as Statement, (one) => {
    if (one.name !== undefined && agentKey(one) === agent) names.push(JSON.stringify(one.name))
  })
  return names
}
