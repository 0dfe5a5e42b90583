import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { NoteRefusalRequest } from '../../gen/lrs/v1/relay_pb.js'
import type { Caller } from '../access/caller.ts'
import { ExpiredToken } from '../access/launch-tokens.ts'
import type { Core, Notes } from '../context.ts'
import type { RefusedRequest } from '../refusal.ts'
import { rulesFor } from '../xapi/dialect.ts'
import { toldOf } from './failure.ts'

/** What the studio sees of an operation that its game calls. */
export interface View<Request, Response> {
  /** Method and path in HTTP, without parameters. */
  readonly name: (request: Request) => string
  /** What the game sent, if it is text. */
  readonly sent?: (request: Request) => Uint8Array | undefined
  /** The outcome of an accepted request. */
  readonly outcome: (request: Request, response: Response) => { status: number; message: string; statements?: number }
  /** The game did not ask for it itself, so the studio does not see it. */
  readonly hidden?: (request: Request) => boolean
}

/** Shows an accepted request of a sandbox session to its studio. */
export function noteAccepted<Request, Response>(
  { events }: Notes,
  watched: string,
  view: View<Request, Response>,
  request: Request,
  response: Response,
): void {
  if (view.hidden?.(request)) return
  events.note(
    watched,
    { ...view.outcome(request, response), request: view.name(request), path: '', reason: '' },
    view.sent?.(request),
  )
}

/** Notes a request that core refused. Without a caller, only a sandbox session that has just ended gets it. */
export function noteRefused<Request, Response>(
  core: Core,
  caller: Caller | undefined,
  view: View<Request, Response>,
  request: Request,
  error: unknown,
): void {
  if (view.hidden?.(request) || (!caller && !(error instanceof ExpiredToken && error.sandbox !== undefined))) return
  const { failure, status } = toldOf(error)
  const { path, message } = failure
  const refused = { request: view.name(request), status, reason: Reason[failure.reason], path, message }
  note(core, caller ?? (error as ExpiredToken), refused, {
    sent: () => view.sent?.(request),
    isCounted: !isNoneYet(refused),
  })
}

/** Games look for their documents at every start. That there are none yet is no error, so it does not count. */
const isNoneYet = ({ request, status }: RefusedRequest): boolean => status === 404 && request.startsWith('GET ')

/** Running lookups of the credentials of requests that a gateway refused. */
let lookups = 0
const mostLookups = 16
/** Most refusals of one message that are shown one by one. */
const mostShown = 1000

/** Notes a request that a gateway refused by itself, if its credential is valid. */
export function noteRefusedByGateway(
  core: Core,
  authorization: string,
  { request, status, failure, times }: NoteRefusalRequest,
): void {
  if (!failure || lookups >= mostLookups) return
  const { path, message } = failure
  const refused = { request, status, reason: Reason[failure.reason] ?? '', path, message }
  lookups++
  core.authenticator
    .authenticate(authorization, rulesFor('1.0.3', core.config.dialect, core.config.tenancy))
    .then(
      (caller) => note(core, caller, refused, { times: Math.max(1, times) }),
      (error: unknown) => error instanceof ExpiredToken && note(core, error, refused),
    )
    .finally(() => lookups--)
}

function note(
  core: Core,
  whose: Caller | ExpiredToken,
  refused: RefusedRequest,
  {
    sent,
    isCounted = true,
    times = 1,
  }: { sent?: () => Uint8Array | undefined; isCounted?: boolean; times?: number } = {},
): void {
  const watched = whose instanceof ExpiredToken ? whose.sandbox : whose.watched
  // observers see each of them
  for (let shown = 0; watched !== undefined && shown < Math.min(times, mostShown); shown++)
    core.events.note(watched, { ...refused, rejected: isCounted }, sent?.())
  if (isCounted && !(whose instanceof ExpiredToken)) core.refusals.note(whose, refused, times)
}
