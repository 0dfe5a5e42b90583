import { members } from './spans.ts'

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
