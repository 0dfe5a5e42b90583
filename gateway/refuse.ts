import type { IncomingHttpHeaders } from 'node:http'
import { create } from '@bufbuild/protobuf'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { NoteRefusalRequestSchema } from '../gen/lrs/v1/relay_pb.js'
import type { Exchange, GatewayContext, Handler } from './context.ts'
import { refusalAnswer, send } from './http/answer.ts'
import { Refusal, refusal } from './http/failure.ts'
import { anyMethod, preflight } from './http/methods.ts'
import { requestIdOf } from './http/request-id.ts'
import { hasCredential, requestedVersion } from './http/required-headers.ts'
import type { Resource } from './resource.ts'

const unknownPath =
  'There is nothing at this path; the resources are /xapi/statements, /xapi/activities, /xapi/activities/state, ' +
  '/xapi/activities/profile, /xapi/agents, /xapi/agents/profile and /xapi/about, without a slash at the end'
/** Characters of a message or a path that core is told. */
const maxReported = 1000

interface Requested {
  readonly method?: string
  readonly headers: IncomingHttpHeaders
}

/** The answer to a request that a stage of serve.ts refused, or that failed. */
export async function refuse(error: unknown, exchange: Exchange, resource: Resource, gateway: GatewayContext) {
  const { effective, requestId, action, caller } = exchange
  const { log, meters, authenticated, relay } = gateway
  const cause = error instanceof Refusal ? error : refusal(Reason.INTERNAL)
  if (cause !== error) log.error({ err: error, requestId, method: effective.method, path: resource.path }, 'failed')
  meters.refused(cause)
  if (!resource.open) reportRefusal(gateway, cause, effective, resource.path, requestId)
  // core accepted the credential if it refused for another reason
  const known = cause.status !== 401 && cause.status < 500 ? caller : undefined
  if (known !== undefined && cause.byCore) authenticated.accept(known.authorization)
  return refusalAnswer(cause, await action?.refusalHeaders?.(relay, known))
}

/** The handler of all paths that are no resource. */
export function serveUnknownPath(gateway: GatewayContext): Handler {
  return serveRefusal(gateway, refusal(Reason.NOT_FOUND, unknownPath))
}

/** The handler of requests whose Expect header is not `100-continue` (RFC 9110 10.1.1). */
export function serveExpectation(gateway: GatewayContext): Handler {
  return serveRefusal(
    gateway,
    new Refusal(417, { message: 'Expect: must be 100-continue, or omitted', path: 'Expect' }),
  )
}

function serveRefusal(gateway: GatewayContext, cause: Refusal): Handler {
  return async (request, response) => {
    const { method = '', url = '', headers } = request
    const requestId = requestIdOf(headers['x-request-id'])
    const version = requestedVersion(headers) ?? gateway.defaultVersion
    // browsers hide from a game why a preflight was refused, so the request after it gets the refusal
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    if (!isPreflight && url.startsWith('/xapi')) reportRefusal(gateway, cause, request, shortPath(url), requestId)
    const answer = isPreflight ? preflight(anyMethod) : refusalAnswer(cause)
    const began = performance.now()
    await send(request, response, answer, { version, requestId, last: gateway.closing, downloads: gateway.downloads })
    if (!isPreflight) gateway.meters.refused(cause)
    gateway.meters.answered('other', method, answer.status, performance.now() - began)
  }
}

/** Tells core of a refusal that it has not seen, so that the studio of the game sees it in the portal. */
function reportRefusal(
  { relay }: GatewayContext,
  cause: Refusal,
  request: Requested,
  path: string,
  requestId: string,
): void {
  const { method, headers } = request
  if (cause.byCore || cause.status >= 500 || !hasCredential(headers)) return
  const failure = create(FailureSchema, {
    reason: cause.reason,
    message: cause.message.slice(0, maxReported),
    path: cause.path.slice(0, maxReported),
  })
  const report = create(NoteRefusalRequestSchema, { request: `${method} ${path}`, status: cause.status, failure })
  relay.note(report, { authorization: headers.authorization!, version: '', requestId })
}

/** An unknown path without its query, which may hold secrets. */
function shortPath(target: string): string {
  return target.split('?', 1)[0]!.slice(0, 100)
}
