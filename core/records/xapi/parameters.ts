import type { Rules } from './dialect.ts'
import { agentIdentifier, agentKey, relatedAgentKey, type Key } from './identify.ts'
import { isIri, isUuid } from './values.ts'
import { parseJson } from './json.ts'
import { Problem } from '../../process/problem.ts'
import { isTimestamp, microsOf } from './timestamp.ts'
import type { Actor } from './types.ts'
import { validateAgent } from './agent.ts'
import { ours, say } from '../../../shared/say.ts'

export interface AgentParameter {
  readonly agent: Actor
  readonly key: Key
  readonly relatedKey: Key
  /** JSON of the identifier alone. */
  readonly identifier: string
}

/** An `agent` parameter: JSON of an Agent or identified Group. */
export function agentParameter(json: string, name: string, rules: Rules): AgentParameter {
  if (json === '')
    throw new Problem(name, 'is missing: must be an Agent as JSON, such as {"mbox":"mailto:ann@example.org"}')
  let value: unknown
  try {
    value = parseJson(Buffer.from(json)).value
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new Problem(name, say`must be an Agent as JSON: ${error.whole}`)
  }
  validateAgent(value, name, rules)
  return {
    agent: value,
    key: agentKey(value)!,
    relatedKey: relatedAgentKey(value)!,
    identifier: agentIdentifier(value)!,
  }
}

/** A required IRI. */
export function iriParameter(text: string, name: string, example = 'https://example.org/activity'): string {
  if (text === '') throw new Problem(name, 'is missing: must be an IRI')
  if (!isIri(text)) throw new Problem(name, say`must be an IRI such as ${ours(example)}`)
  return text
}

/** A UUID in lower case; undefined for the empty text. */
export function uuidParameter(text: string, name: string): string | undefined {
  if (text === '') return undefined
  if (!isUuid(text)) throw new Problem(name, 'must be a UUID')
  return text.toLowerCase()
}

/** Microseconds since 1970; undefined for the empty text. */
export function timeParameter(text: string, name: string): number | undefined {
  if (text === '') return undefined
  if (!isTimestamp(text)) throw new Problem(name, 'must be an ISO 8601 timestamp such as 2026-11-21T09:30:00.000Z')
  return Number(microsOf(text))
}

/** A place in the order of statements, or of another log. */
export function placeParameter(place: bigint, name: string): number {
  if (place > BigInt(Number.MAX_SAFE_INTEGER)) throw new Problem(name, 'must be at most 9007199254740991')
  return Number(place)
}

/** The id of a document (stateId, profileId): any text that can be stored, at most 4 KB. */
export function documentIdParameter(text: string, name: string): string {
  if (text === '') throw new Problem(name, 'is missing')
  if (text.includes('\0')) throw new Problem(name, 'must not hold the character U+0000')
  if (Buffer.byteLength(text) > 4096) throw new Problem(name, 'must be at most 4096 bytes')
  return text
}
