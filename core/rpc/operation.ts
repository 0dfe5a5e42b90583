import { isIeee, spokenVersions, versionOf } from '../../shared/xapi-version.ts'
import { reasons } from '../../shared/reasons.ts'
import { StaleCaller, type Caller } from '../access/caller.ts'
import { developerOf } from '../access/developer.ts'
import type { Authentication, Core } from '../context.ts'
import type { Counted } from '../rate-limiter.ts'
import { Refusal } from '../refusal.ts'
import type { Scope } from '../store/cell/credentials.ts'
import { rulesFor, type Rules } from '../xapi/dialect.ts'
import { Problem } from '../xapi/problem.ts'
import { noteAccepted, noteRefused, type View } from './watch.ts'

/** A call of a game: who may make it, how it counts, what it does. RPC and the relay share it. */
export interface Operation<Request, Response> {
  /** The caller needs one of these, or `all`. */
  readonly scopes: (request: Request) => readonly Scope[]
  /** The windows of the request limits; undefined: no limit. */
  readonly counts?: (request: Request, caller: Caller) => Counted | undefined
  readonly run: (core: Core, caller: Caller, request: Request) => Promise<Response>
  /** It is bounded in another way, so other calls of the game need not wait for it. */
  readonly bypassesFairQueue?: true | ((request: Request) => boolean)
  readonly view: View<Request, Response>
}

/** The headers of a call. */
export interface CallContext {
  readonly authorization: string
  /** As in the header X-Experience-API-Version; empty: 1.0.3. */
  readonly version: string
  /** With a service token: the key of the credential on whose behalf the service calls. */
  readonly onBehalf?: string
  /** With a service token: the session of the studio for which the service calls. */
  readonly session?: string
}

export const contextOf = (header: Headers): CallContext => ({
  authorization: header.get('authorization') ?? '',
  version: header.get('x-experience-api-version') ?? '',
  onBehalf: header.get('x-lrs-credential') ?? undefined,
  session: header.get('x-lrs-session') ?? undefined,
})

/**
 * Authenticates, checks the scope, counts and runs a call. When the credential has changed in between, it does so again,
 * but counts only once.
 * @throws Problem, Refusal
 */
export async function perform<Request, Response>(
  core: Core,
  operation: Operation<Request, Response>,
  request: Request,
  context: CallContext,
): Promise<Response> {
  let caller: Caller | undefined
  try {
    const rules = rulesOf(core, context.version)
    caller = await identify(core, context, rules)
    const response = await performFor(core, operation, request, caller, () => identify(core, context, rules))
    core.rates.note(operation.view.name(request), false)
    if (caller.watched !== undefined) noteAccepted(core, caller.watched, operation.view, request, response)
    return response
  } catch (error) {
    core.rates.note(operation.view.name(request), true)
    noteRefused(core, caller, operation.view, request, error)
    throw error
  }
}

async function performFor<Request, Response>(
  core: Core,
  operation: Operation<Request, Response>,
  request: Request,
  known: Caller,
  again: () => Promise<Caller>,
): Promise<Response> {
  const scopes = operation.scopes(request)
  const renew = async (): Promise<Caller> => {
    await core.authenticator.forget(known)
    return again()
  }
  // the credential may have got the scope since it was cached
  const caller = allows(known, scopes) || (await core.authenticator.isCurrent(known)) ? known : await renew()
  checkScope(caller, scopes)
  const counted = core.limiter && operation.counts?.(request, caller)
  const refusedFor = counted ? core.limiter.take(counted) : 0
  // observers of a sandbox see every request, so no refusal may be cached
  const holds = caller.watched === undefined ? refusedFor : 0
  if (refusedFor > 0) throw new Refusal('rate-limited', reasons['rate-limited'].error, { holds })
  const bypasses =
    typeof operation.bypassesFairQueue === 'function'
      ? operation.bypassesFairQueue(request)
      : operation.bypassesFairQueue
  const run = (caller: Caller) =>
    bypasses
      ? operation.run(core, caller, request)
      : core.fairQueue.run(caller.game, () => operation.run(core, caller, request))
  try {
    return await run(caller)
  } catch (error) {
    // a Problem is found without the store, so the credential may be stale here, too
    const stale =
      error instanceof StaleCaller || (error instanceof Problem && !(await core.authenticator.isCurrent(caller)))
    if (!stale) throw error
    const renewed = await renew()
    checkScope(renewed, scopes)
    return run(renewed)
  }
}

const allows = (caller: Caller, scopes: readonly Scope[]) =>
  caller.scopes.includes('all') || scopes.some((scope) => caller.scopes.includes(scope))

function checkScope(caller: Caller, scopes: readonly Scope[]): void {
  if (!allows(caller, scopes)) throw new Refusal('forbidden', `The credential lacks the scope ${scopes.join(' or ')}.`)
}

async function identify(
  { authenticator, services, store }: Authentication & Pick<Core, 'store'>,
  { authorization, onBehalf, session }: CallContext,
  rules: Rules,
): Promise<Caller> {
  const role = services.roleOf(authorization)
  if (onBehalf === undefined) {
    if (role !== undefined)
      throw new Refusal(
        'unauthenticated',
        'A service token needs x-lrs-credential beside it: the key of the credential it acts for.',
        { subject: 'service-token' },
      )
    return authenticator.authenticate(authorization, rules)
  }
  if (role === undefined)
    throw new Refusal('unauthenticated', 'x-lrs-credential goes with a service token only.', {
      subject: 'service-token',
    })
  // the portal faces the internet: it acts only for a signed-in studio
  if (role === 'portal' || session !== undefined)
    return authenticator.ofStudio((await developerOf(store, session ?? '')).studio, onBehalf, rules)
  return authenticator.onBehalf(onBehalf, rules)
}

/** The rules of the version that a call names; of 1.0.3 without one. @throws Problem */
function rulesOf({ config }: Core, header: string): Rules {
  const version = versionOf(header || '1.0.3')
  if (version === undefined) throw new Problem('X-Experience-API-Version', `must be ${spokenVersions}`)
  return rulesFor(isIeee(version) ? '2.0.0' : '1.0.3', config.dialect, config.tenancy)
}
