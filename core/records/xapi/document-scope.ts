import { hash } from 'node:crypto'
import type { Key } from './identify.ts'

const key = (...parts: string[]): Key => hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)

/** State documents: of one agent in one activity of one game. */
export const stateScope = (gameId: string, activityId: string, agent: Key) => key('state', gameId, activityId, agent)
/** Activity profiles: of one activity, across games; each sandbox (UUID) has its own. */
export const activityProfileScope = (activityId: string, sandbox?: string) =>
  key('activity-profile', activityId, ...ownOf(sandbox))
/** Agent profiles of one agent: shared by all games, or of one game or sandbox (UUID). */
export const agentProfileScope = (agent: Key, owner?: string) => key('agent-profile', agent, ...ownOf(owner))
/** Documents that a studio wrote for its game (UUID). */
export const gameDocumentScope = (gameId: string) => key('game', gameId)
/** Facts about an activity or agent (its key), across games; a sandbox has only its own. */
export const knowledgeKey = (of: Key, sandbox?: string): Key =>
  sandbox === undefined ? of : key('knowledge', of, sandbox)
const ownOf = (owner: string | undefined) => (owner === undefined ? [] : [owner])
/** Finds one document within its scope. */
export const documentKey = (id: string) => key('document', id)
