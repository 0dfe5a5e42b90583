import { Scope as ScopeMessage } from '../../../gen/lrs/v1/identity_pb.js'
import type { Scope } from '../../records/store/cell/credentials.ts'
import { Problem } from '../../process/problem.ts'

const scopes: Record<Exclude<ScopeMessage, ScopeMessage.UNSPECIFIED>, Scope> = {
  [ScopeMessage.STATEMENTS_WRITE]: 'statements/write',
  [ScopeMessage.STATEMENTS_READ_MINE]: 'statements/read/mine',
  [ScopeMessage.STATEMENTS_READ]: 'statements/read',
  [ScopeMessage.STATE]: 'state',
  [ScopeMessage.DEFINE]: 'define',
  [ScopeMessage.PROFILE]: 'profile',
  [ScopeMessage.ALL_READ]: 'all/read',
  [ScopeMessage.ALL]: 'all',
}
const messages = new Map(Object.entries(scopes).map(([message, scope]) => [scope, Number(message) as ScopeMessage]))

/** @param index its position in the request's `scopes` @throws Problem */
export function scopeOf(message: ScopeMessage, index: number): Scope {
  const scope = scopes[message as keyof typeof scopes]
  if (!scope) throw new Problem(`scopes[${index}]`, 'is not a known scope')
  return scope
}

export const scopeMessage = (scope: Scope): ScopeMessage => messages.get(scope) ?? ScopeMessage.UNSPECIFIED
