import { Reason, type Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { NoteRefusalRequest } from '../../../gen/lrs/v1/relay_pb.js'
import { rowOf } from '../../../shared/reasons.ts'
import { paths, restOf } from '../../../shared/rest.ts'
import type { Caller } from '../access/caller.ts'
import { ExpiredToken } from '../access/expired-token.ts'
import type { Core } from '../../context.ts'
import { formOf } from '../../process/methods/failure.ts'
import type { RefusedRequest } from '../../process/refusal.ts'
import { rulesFor } from '../xapi/dialect.ts'
import type { Asked, Call, Outcome } from '../../process/methods/call.ts'

/** Lookups under way of credentials of requests that a gateway refused. */
let lookups = 0
const mostLookups = 16
/** Statements of one request that are checked for slips: their ids wait in memory. */
const mostChecked = 100
/** Most refusals of one message that are shown one by one. */
const mostShown = 1000

/** Shows a call of a game to its studio: in the sandbox, and its refusals as counts. */
export function showEnded(core: Core, { asked }: Call, { response, error, failure }: Outcome): void {
  if (!asked) return
  const { operation, request, caller } = asked
  const { shown } = operation
  if (!shown || shown.unless?.(request)) return
  if (failure) showRefused(core, asked, error, failure)
  else if (error === undefined && caller?.watched !== undefined) {
    const { message, stored } = shown.outcome(request, response)
    const event = { ...restOf(operation.action(request)), message, statements: stored?.length, path: '', reason: '' }
    core.events.note(caller.watched, { ...event, played: playedBy(caller, stored) }, shown.sent?.(request))
  }
}

/** What is checked for slips, if a learner's session stored something. */
const playedBy = ({ game, learner }: Caller, stored: readonly string[] = []) =>
  learner && stored.length > 0 ? { game, actor: learner.agent, ids: stored.slice(0, mostChecked) } : undefined

/** Without a caller, only a sandbox session that has just ended gets the refusal. */
function showRefused(core: Core, { operation, request, caller }: Asked, error: unknown, failure: Failure): void {
  const whose = caller ?? (error instanceof ExpiredToken && error.sandbox !== undefined ? error : undefined)
  if (!whose) return
  const action = operation.action(request)
  // games look for their documents at every start, so a missing document does not count as an error
  const isCounted = !(failure.reason === Reason.NOT_FOUND && action.startsWith('read '))
  const refused = refusedOf(restOf(action).request, rowOf(failure.reason).status, failure)
  note(
    core,
    whose,
    refused,
    { ...refused, ...formOf(error) },
    { sent: () => operation.shown?.sent?.(request), isCounted },
  )
}

/** Shows a request that a gateway refused by itself, if its credential is valid. */
export function showRefusedByGateway(
  core: Core,
  { authorization, address }: Pick<Call, 'authorization' | 'address'>,
  { request, status, failure, form, times }: NoteRefusalRequest,
): void {
  if (!failure || lookups >= mostLookups) return
  const refused = refusedOf(request, status, failure)
  // a gateway of an older version sends no form
  const kept = { ...refused, request: formOfRequest(request), path: form?.path ?? '', message: form?.message ?? '' }
  lookups++
  core.authenticator
    .authenticate(authorization, rulesFor('1.0.3', core.config.dialect, core.config.tenancy), address)
    .then(
      (caller) => note(core, caller, refused, kept, { times: Math.max(1, times) }),
      (error: unknown) => error instanceof ExpiredToken && note(core, error, refused, kept),
    )
    .finally(() => lookups--)
}

const refusedOf = (request: string, status: number, { reason, path, message }: Failure): RefusedRequest => ({
  request,
  status,
  reason: Reason[reason] ?? '',
  path,
  message,
})

/** A request to a path that is not ours may have anything in it. */
const formOfRequest = (request: string): string => {
  const [method = '', path = ''] = request.split(' ')
  return `${/^[A-Z]{3,7}$/.test(method) ? method : '…'} ${known.has(path) ? path : '/…'}`
}
const known = new Set<string>(Object.values(paths))

interface Noted {
  readonly sent?: () => Uint8Array | undefined
  readonly isCounted?: boolean
  readonly times?: number
}

function note(
  core: Core,
  whose: Caller | ExpiredToken,
  refused: RefusedRequest,
  kept: RefusedRequest,
  { sent, isCounted = true, times = 1 }: Noted = {},
): void {
  const watched = whose instanceof ExpiredToken ? whose.sandbox : whose.watched
  // observers see each of the refused requests
  for (let shown = 0; watched !== undefined && shown < Math.min(times, mostShown); shown++)
    core.events.note(watched, { ...refused, rejected: isCounted }, sent?.())
  if (isCounted && !(whose instanceof ExpiredToken)) core.refusals.note(whose, kept, times)
}
