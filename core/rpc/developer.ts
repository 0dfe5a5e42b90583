import type { HandlerContext } from '@connectrpc/connect'
import { developerOf } from '../access/developer.ts'
import type { Authentication, Core } from '../context.ts'
import type { Developer } from '../store/directory/studio-sessions.ts'

/** The studio whose session a call carries. @throws Refusal 'unauthenticated' */
export const developer = ({ store }: Pick<Core, 'store'>, { requestHeader }: HandlerContext): Promise<Developer> =>
  developerOf(store, requestHeader.get('x-lrs-session') ?? '')

/** Whether the call has an admin's service token and no session of a studio. */
export const isAdmin = ({ services }: Authentication, { requestHeader }: HandlerContext): boolean =>
  !requestHeader.has('x-lrs-session') && services.roleOf(requestHeader.get('authorization') ?? '') === 'admin'
