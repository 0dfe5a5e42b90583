import type { Caller } from './caller.ts'
import { Refusal } from '../../process/refusal.ts'
import type { DocumentLocation } from '../store/cell/documents.ts'
import {
  activityProfileScope,
  agentProfileScope,
  gameDocumentScope,
  knowledgeKey,
  stateScope,
} from '../xapi/document-scope.ts'
import { agentParameter, iriParameter, uuidParameter } from '../xapi/parameters.ts'

export type DocumentKind = 'state' | 'activity-profile' | 'agent-profile' | 'game-document'

/** The parameters that locate documents; agent and registration only where the kind has them. */
export interface DocumentScope {
  readonly kind: DocumentKind
  readonly activityId: string
  readonly agent: string
  readonly registration: string
}

const idNames: Readonly<Record<DocumentKind, string>> = {
  state: 'stateId',
  'activity-profile': 'profileId',
  'agent-profile': 'profileId',
  'game-document': 'documentId',
}
/** Name of the parameter that names a document of this kind. */
export const idName = (kind: DocumentKind): string => idNames[kind]

/**
 * Returns where the documents of this scope are stored for this caller. State belongs to the caller's game. All games
 * share profiles, except in a sandbox and where the rules isolate them. A sandbox reads the documents of its game.
 * @throws Problem, or Refusal 'forbidden' when a launch token asks for another agent's documents
 */
export function locationOf(caller: Caller, { kind, activityId, agent, registration }: DocumentScope): DocumentLocation {
  // the empty text tells retention that no learner caused it
  if (kind === 'game-document') return { scope: gameDocumentScope(caller.tried ?? caller.gameId), stateOf: '' }
  if (kind === 'activity-profile')
    return { scope: activityProfileScope(iriParameter(activityId, 'activityId'), caller.sandbox) }
  const activity = kind === 'state' ? iriParameter(activityId, 'activityId') : ''
  const { key } = agentParameter(agent, 'agent', caller.rules)
  if (caller.learner && caller.learner.agent !== key) {
    throw new Refusal('forbidden', 'A launch token reaches the documents of its own learner only.', { path: 'agent' })
  }
  const known = knowledgeKey(key, caller.sandbox)
  const owner = caller.rules.agentProfiles === 'of-own-game' ? caller.gameId : caller.sandbox
  if (kind === 'agent-profile') return { scope: agentProfileScope(key, owner), agent: known }
  return {
    scope: stateScope(caller.gameId, activity, key),
    agent: known,
    stateOf: activity,
    registration: uuidParameter(registration, 'registration'),
  }
}
