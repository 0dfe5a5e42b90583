import { Scope as ScopeMessage } from '../../../gen/lrs/v1/identity_pb.js'
import type { Scope } from '../../records/store/cell/credentials.ts'
import { Problem } from '../../process/problem.ts'
import { byName } from '../../process/methods/enums.ts'

const messages: Readonly<Record<Scope, ScopeMessage>> = byName(ScopeMessage, '/')

/** @param index its position in the request's `scopes` @throws Problem */
export function scopeOf(message: ScopeMessage, index: number): Scope {
  const [scope] = Object.entries(messages).find(([, one]) => one === message) ?? []
  if (!scope) throw new Problem(`scopes[${index}]`, 'is not a known scope')
  return scope as Scope
}

export const scopeMessage = (scope: Scope): ScopeMessage => messages[scope]
