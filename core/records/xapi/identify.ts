import { hash } from 'node:crypto'
import type { Actor, Group, Identifiers } from './types.ts'

/** The key in columns and indexes: 32 hex digits, the first 128 bits of SHA-256 over kind, NUL and value. */
export type Key = string

const cachedKeys = 4_000
const cachedLength = 512

/** Actors, verbs and activities repeat, so each kind remembers its last few thousand keys. */
function keys(kind: string): (value: string) => Key {
  const known = new Map<string, Key>()
  return (value) => {
    let key = known.get(value)
    if (key === undefined) {
      key = hash('sha256', `${kind}\0${value}`, 'hex').slice(0, 32)
      if (value.length <= cachedLength) {
        if (known.size >= cachedKeys) known.clear()
        known.set(value, key)
      }
    }
    return key
  }
}

const agentKeys = keys('agent')
const relatedAgentKeys = keys('related-agent')
const groupKeys = keys('group')

/** Finds statements by verb. */
export const verbKey = keys('verb')
/** Finds statements by the Activity that is their object, and the Activity itself. */
export const activityKey = keys('activity')
/** Finds statements by an Activity in their context or SubStatement. */
export const relatedActivityKey = keys('related-activity')

/** Canonical JSON of the identifier alone; undefined for an anonymous Group. */
export function agentIdentifier(agent: Identifiers): string | undefined {
  if (agent.mbox !== undefined) return `{"mbox":${JSON.stringify(agent.mbox)}}`
  if (agent.account !== undefined) {
    const { homePage, name } = agent.account
    return `{"account":{"homePage":${JSON.stringify(homePage)},"name":${JSON.stringify(name)}}}`
  }
  if (agent.openid !== undefined) return `{"openid":${JSON.stringify(agent.openid)}}`
  if (agent.mbox_sha1sum !== undefined) return `{"mbox_sha1sum":${JSON.stringify(agent.mbox_sha1sum)}}`
  return undefined
}

/** Finds statements by actor or object; undefined for an anonymous Group. */
export function agentKey(agent: Identifiers): Key | undefined {
  const identifier = agentIdentifier(agent)
  return identifier && agentKeys(identifier)
}

/** Finds statements by an Agent or Group of the context or SubStatement, or a member of these. */
export function relatedAgentKey(agent: Identifiers): Key | undefined {
  const identifier = agentIdentifier(agent)
  return identifier && relatedAgentKeys(identifier)
}

/** The key of an actor: of its identifier, or of all members of an anonymous Group in any order. */
export function actorKey(actor: Actor): Key {
  return agentKey(actor) ?? groupKeys(((actor as Group).member ?? []).map(agentKey).sort().join())
}
