import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { reasons } from '../../../shared/reasons.ts'
import { isIeee, spokenVersions, versionOf } from '../../../shared/headers.ts'
import { StaleCaller, type Caller } from '../access/caller.ts'
import type { Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Scope } from '../store/cell/credentials.ts'
import { rulesFor, type Rules } from '../xapi/dialect.ts'
import { Problem } from '../../process/problem.ts'
import type { Asked, Call, Outcome } from '../../process/methods/call.ts'
import type { Operation } from './operation.ts'
import { showEnded } from './show.ts'
import { ours, say } from '../../../shared/say.ts'

/**
 * Authenticates, checks the scope, counts and runs a call. If the credential has changed in between, does so again, but
 * counts only once.
 * @throws Problem, Refusal
 */
export async function perform<Request, Response>(
  core: Core,
  operation: Operation<Request, Response>,
  request: Request,
  call: Call,
): Promise<Response> {
  const asked: Asked<Request, Response> = { operation, request }
  call.asked = asked as Asked
  const rules = rulesOf(core, call.version)
  const known = (asked.caller = await (call.identified ?? identify(core, call, rules)))
  const scopes = operation.scopes(request)
  const renew = async (): Promise<Caller> => {
    await core.authenticator.forget(known)
    return identify(core, call, rules)
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
    return run(renewed).catch((again: unknown) => {
      if (!(again instanceof StaleCaller)) throw again
      throw new Refusal(
        'unavailable',
        'The credential changed meanwhile, or the game was moved; send the request again.',
      )
    })
  }
}

const allows = (caller: Caller, scopes: readonly Scope[]) =>
  caller.scopes.includes('all') || scopes.some((scope) => caller.scopes.includes(scope))

function checkScope(caller: Caller, scopes: readonly Scope[]): void {
  if (!allows(caller, scopes))
    throw new Refusal('forbidden', say`The credential lacks the scope ${ours(scopes.join(' or '))}.`)
}

/** Who calls. @throws Problem, Refusal */
export const identified = (core: Core, call: Call): Promise<Caller> =>
  (call.identified ??= identify(core, call, rulesOf(core, call.version)))

async function identify(
  { authenticator, services, sessions }: Pick<Core, 'authenticator' | 'services' | 'sessions'>,
  call: Call,
  rules: Rules,
): Promise<Caller> {
  const { authorization, address, refused, onBehalf, session, holder } = call
  const role = services.roleOf(authorization)
  if (onBehalf === undefined) {
    if (role !== undefined || holder)
      throw new Refusal(
        'unauthenticated',
        ours(
          'A service token or a personal token needs x-lrs-credential, too: the key of the credential on whose ' +
            'behalf it calls.',
        ),
        { subject: 'service-token' },
      )
    // a look-up that finds nothing is charged, so the same call gets one only
    if (refused !== undefined) throw refused
    return authenticator.authenticate(authorization, rules, address)
  }
  if (role === undefined && !holder)
    throw new Refusal('unauthenticated', 'x-lrs-credential is for calls with a service token only.', {
      subject: 'service-token',
    })
  // the portal faces the internet: it acts only for a signed-in studio
  if (holder || role === 'portal' || session !== undefined)
    return authenticator.ofStudio((await sessions.reader(call)).studio, onBehalf, rules)
  return authenticator.onBehalf(onBehalf, rules)
}

/** The rules of the version that a call names; of 1.0.3 without one. @throws Problem */
function rulesOf({ config }: Core, header: string): Rules {
  const version = versionOf(header || '1.0.3')
  if (version === undefined) throw new Problem('X-Experience-API-Version', `must be ${spokenVersions}`)
  return rulesFor(isIeee(version) ? '2.0.0' : '1.0.3', config.dialect, config.tenancy)
}

/** Counts a call that has ended, and shows it to its studio. Each call ends once; a stream ends with its first message. */
export function ended(core: Core, call: Call, outcome: Outcome): void {
  const { method, way, began, asked } = call
  const { error, failure } = outcome
  core.meters.callSeconds.observe({ operation: method, way }, (performance.now() - began) / 1000)
  const reason = failure && (Reason[failure.reason] ?? 'UNSPECIFIED').toLowerCase()
  core.meters.calls.inc({ operation: method, way, outcome: error === undefined ? 'ok' : (reason ?? 'cancelled') })
  if (failure || asked?.caller?.watched !== undefined) showEnded(core, call, outcome)
}
