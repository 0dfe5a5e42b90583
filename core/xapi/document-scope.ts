import { hash } from 'node:crypto'
import type { Key } from './identify.ts'

const key = (...parts: string[]): Key => hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)

/** State documents: of one agent in one activity of one game. */
export const stateScope = (gameId: string, activityId: string, agent: Key) => key('state', gameId, activityId, agent)
/** Activity profiles: of one activity, across games. */
export const activityProfileScope = (activityId: string) => key('activity-profile', activityId)
/** Agent profiles: of one agent, across games. */
export const agentProfileScope = (agent: Key) => key('agent-profile', agent)
/** Finds one document within its scope. */
export const documentKey = (id: string) => key('document', id)
