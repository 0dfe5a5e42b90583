import { personOf, requireFactor, requireRole } from '../../access/developer.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import type { Person } from '../../store/directory/studio-sessions.ts'
import type { SecondFactorPolicy } from '../../studio/second-factor.ts'
import type { Call } from '../call.ts'
import type { Declared, Right } from '../declaration.ts'

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

/**
 * For a method of operators: the session of an admin, or a service token of the role admin without a session.
 * @throws Refusal
 */
export async function requireAdmin(
  { services, store, notices, config }: Pick<Core, 'services' | 'store' | 'notices' | 'config'>,
  { right }: Declared,
  call: Call,
): Promise<void> {
  if (right !== 'admin') return
  if (call.session === undefined && services.roleOf(call.authorization) === 'admin') return
  const person = await personOf(store, call.session ?? '', notices.mail)
  call.person = person
  requireRight(right, person, config.secondFactor)
}
