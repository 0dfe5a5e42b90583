import type { HandlerContext } from '@connectrpc/connect'
import { personOf, requireRole } from '../../access/developer.ts'
import type { Authentication, Core } from '../../context.ts'
import type { Developer, Person } from '../../store/directory/studio-sessions.ts'
import { callOf } from '../call.ts'
import { requireRight } from '../access/rights.ts'

/** Whose session a call carries. @throws Refusal unless the account may call the method */
export async function person(
  { store, notices, config }: Pick<Core, 'store' | 'notices' | 'config'>,
  context: HandlerContext,
): Promise<Person> {
  const call = callOf(context)
  const one = call.holder ?? (await personOf(store, call.session ?? '', notices.mail))
  call.person = one
  requireRight(call.declared!.right, one, config.secondFactor)
  return one
}

/** The same for a method that is for members of a studio. */
export const developer = async (
  core: Pick<Core, 'store' | 'notices' | 'config'>,
  context: HandlerContext,
): Promise<Developer> => requireRole(await person(core, context), 'analyst')

/** Whether the call has an admin's service token and no session of an account. */
export const isAdmin = ({ services }: Authentication, { requestHeader }: HandlerContext): boolean =>
  !requestHeader.has('x-lrs-session') && services.roleOf(requestHeader.get('authorization') ?? '') === 'admin'

/** The studio that must own the game; undefined: an admin acts for every game. @throws Refusal */
export const studioOf = async (core: Core, context: HandlerContext): Promise<number | undefined> =>
  isAdmin(core, context) ? undefined : (await developer(core, context)).studio
