import { Refusal } from '../../process/refusal.ts'
import type { Person } from '../store/studio-sessions.ts'
import type { MemberRole } from '../rules/roles.ts'
import type { SecondFactorPolicy } from '../../process/config/second-factor.ts'
import { requireFactor, requireRole } from './developer.ts'

/**
 * What a session needs to call a method: nothing (`public`, also without a session), an account (`entrance`), one that
 * has a second factor if the operator asks for one (`account` and all that follow), the role of a member or a higher
 * one (`member`: any), to be a developer or a reviewer (`tester`), or an admin (`admin`). `none`: no session may call it.
 */
export type Right = 'public' | 'entrance' | 'account' | 'tester' | 'admin' | 'member' | MemberRole | 'none'

/** @throws Refusal 'forbidden' */
export function requireRight(right: Right, person: Person, policy: SecondFactorPolicy): void {
  if (right === 'public' || right === 'entrance') return
  if (right === 'none') throw new Refusal('forbidden', 'No account may do this.')
  requireFactor(person, policy)
  if (right === 'account') return
  if (right === 'admin') {
    if (!person.admin) throw new Refusal('forbidden', 'Only admins may do this. "accounts admin" makes an account one.')
  } else if (right !== 'tester') requireRole(person, right)
  else if (!person.reviewer) requireRole(person, 'developer')
}
