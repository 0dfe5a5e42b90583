import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { NoteRefusalRequest } from '../../gen/lrs/v1/relay_pb.js'
import type { Caller } from '../access/caller.ts'
import { ExpiredToken } from '../access/launch-tokens.ts'
import type { Core, Notes } from '../context.ts'
import type { RefusedRequest } from '../refusal.ts'
import { rulesFor } from '../xapi/dialect.ts'
import { toldOf } from './failure.ts'

/** How an operation looks to the studio whose game calls it. */
export interface View<Request, Response> {
  /** As in HTTP, without parameters. */
  readonly name: (request: Request) => string
  /** What the game sent, when it is text. */
  readonly sent?: (request: Request) => Uint8Array | undefined
  /** What became of an accepted request. */
  readonly outcome: (request: Request, response: Response) => { status: number; message: string; statements?: number }
  /** It is nothing that the game asked for. */
  readonly hidden?: (request: Request) => boolean
}

/** An accepted request of a sandbox session. */
export function noteAccepted<Request, Response>({ events }: Notes, watched: string, view: View<Request, Response>, request: Request, response: Response): void {
  if (view.hidden?.(request)) return
  events.note(watched, { ...view.outcome(request, response), request: view.name(request), path: '', reason: '' }, view.sent?.(request))
}

/** A request that core refused; without a caller nobody is told, unless a sandbox session has just ended. */
export function noteRefused<Request, Response>(core: Core, caller: Caller | undefined, view: View<Request, Response>, request: Request, error: unknown): void {
  if (view.hidden?.(request) || (!caller && !(error instanceof ExpiredToken && error.sandbox !== undefined))) return
  const { failure, status } = toldOf(error)
  const { path, message } = failure
  const refused = { request: view.name(request), status, reason: Reason[failure.reason], path, message }
  note(core, caller ?? (error as ExpiredToken), refused, { sent: () => view.sent?.(request), isCounted: !isNoneYet(refused) })
}

/** A game looks for its documents at every start: that there are none yet is an answer, which its studio may see but need not mend. */
const isNoneYet = ({ request, status }: RefusedRequest): boolean => status === 404 && request.startsWith('GET ')

/** Credentials of requests that a gateway refused, that are being looked up. */
let lookups = 0
const mostLookups = 16
/** Refusals told together that are shown one by one. */
const mostShown = 1000

/** A request that a gateway refused by itself: told to the caller's studio, when it is one that may call. */
export function noteRefusedByGateway(core: Core, authorization: string, { request, status, failure, times }: NoteRefusalRequest): void {
  if (!failure || lookups >= mostLookups) return
  const { path, message } = failure
  const refused = { request, status, reason: Reason[failure.reason] ?? '', path, message }
  lookups++
  core.authenticator
    .authenticate(authorization, rulesFor('1.0.3', core.config.dialect, core.config.tenancy))
    .then((caller) => note(core, caller, refused, { times: Math.max(1, times) }), (error: unknown) => error instanceof ExpiredToken && note(core, error, refused))
    .finally(() => lookups--)
}

function note(
  core: Core, whose: Caller | ExpiredToken, refused: RefusedRequest, { sent, isCounted = true, times = 1 }: { sent?: () => Uint8Array | undefined; isCounted?: boolean; times?: number } = {},
): void {
  const watched = whose instanceof ExpiredToken ? whose.sandbox : whose.watched
  // who watches is shown each of them
  for (let shown = 0; watched !== undefined && shown < Math.min(times, mostShown); shown++) core.events.note(watched, { ...refused, rejected: isCounted }, sent?.())
  if (isCounted && !(whose instanceof ExpiredToken)) core.refusals.note(whose, refused, times)
}
