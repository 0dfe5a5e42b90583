import { personOf } from '../accounts/access/developer.ts'
import { requireRight } from '../accounts/access/rights.ts'
import type { Core } from '../context.ts'
import type { Call } from '../process/methods/call.ts'
import type { Declared } from '../process/methods/declaration.ts'

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
