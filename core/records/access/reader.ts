import type { Caller } from './caller.ts'
import type { Reader } from '../store/cell/page-parameters.ts'

/** Which statements a caller sees: a launch token those of its learner, a game its own, wider scopes all. */
export function readerOf(caller: Caller): Reader {
  const everything =
    !caller.learner &&
    ['statements/read', 'all/read', 'all'].some((scope) => (caller.scopes as string[]).includes(scope))
  return { ...caller, actor: caller.learner?.agent, everything }
}
