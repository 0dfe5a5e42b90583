import type { IncomingMessage, ServerResponse } from 'node:http'
import { create } from '@bufbuild/protobuf'
import { FailureSchema } from '../gen/lrs/v1/failure_pb.js'
import { NoteRefusalRequestSchema } from '../gen/lrs/v1/relay_pb.js'
import type { Exchange, GatewayContext } from './context.ts'
import { senderAddress } from '../shared/sender-address.ts'
import type { Caller } from './core-connection/caller.ts'
import type { ResponseFrame } from './http/answer.ts'
import { requestIdOf } from './http/request-id.ts'
import { hasCredential, requestedVersion, requireCredential } from './http/required-headers.ts'
import { overloaded } from './load/admission.ts'

const slowMs = 1000
/** Characters of a message or a path that core gets. */
const maxReported = 1000

/** The route of a request. */
export interface Route {
  readonly path: string
  /** Name in metrics; default: the path. */
  readonly name?: string
  /** Needs neither credential nor version. Neither core nor the log gets its requests. */
  readonly open?: true
}

/** An answer that was sent. */
interface Ended {
  readonly route: Route
  readonly status: number
  readonly ms: number
}

export function beginExchange(request: IncomingMessage, response: ServerResponse): Exchange {
  return {
    began: performance.now(),
    request,
    response,
    requestId: requestIdOf(request.headers['x-request-id']),
    effective: { method: request.method!, target: request.url!, headers: request.headers },
    action: undefined,
    caller: undefined,
    refusal: undefined,
    body: undefined,
  }
}

/** The caller of a request with this credential. Its address counts until core has accepted it. */
export function callerOf(
  { callers, trustProxy }: GatewayContext,
  { request, requestId }: Exchange,
  authorization: string,
  version: string,
): Caller {
  const name = callers.nameOf(authorization)
  const address = name === '' ? senderAddress(request, trustProxy) || 'unknown' : ''
  return { authorization, name, address, version, requestId, limitKey: '' }
}

/** What the answer to a request has in common with all others. */
export function frameOf(gateway: GatewayContext, { effective, requestId, caller }: Exchange): ResponseFrame {
  return {
    version: requestedVersion(effective.headers) ?? gateway.defaultVersion,
    requestId,
    last: gateway.closing,
    downloads: gateway.downloads,
    drain: caller === undefined || caller.name === '' ? gateway.drains.strangers : gateway.drains.accepted,
  }
}

/** All that follows from the end of a request. They never wait and never fail. */
const listeners = [count, tellCore, log]

/** Notes that a request has ended: its answer is sent. */
export function ended(gateway: GatewayContext, exchange: Exchange, route: Route, status: number): void {
  const end = { route, status, ms: performance.now() - exchange.began }
  for (const listener of listeners) listener(gateway, exchange, end)
}

function count({ meters }: GatewayContext, { refusal, effective }: Exchange, { route, status, ms }: Ended): void {
  meters.answered(route.name ?? route.path, effective.method, status, ms)
  if (refusal !== undefined) meters.refused(refusal)
}

/** Reports a refusal to core that core has not seen, so that the studio of the game sees it in the portal. */
function tellCore(gateway: GatewayContext, exchange: Exchange, { route }: Ended): void {
  const { refusal, effective } = exchange
  const { method, headers } = effective
  if (refusal === undefined || route.open || refusal.byCore || refusal.status >= 500 || !hasCredential(headers)) return
  const failure = create(FailureSchema, {
    reason: refusal.reason,
    message: refusal.message.slice(0, maxReported),
    path: refusal.path.slice(0, maxReported),
  })
  const request = `${method} ${route.path}`
  const report = create(NoteRefusalRequestSchema, { request, status: refusal.status, failure })
  gateway.relay.note(report, exchange.caller ?? callerOf(gateway, exchange, requireCredential(headers), ''))
}

/** Refusals of the admission are too many for a log line each. */
function log({ log }: GatewayContext, { refusal, requestId, effective }: Exchange, { route, status, ms }: Ended): void {
  const { path, open } = route
  if (open || refusal === overloaded) return
  if (status < 500 && ms <= slowMs && !log.isLevelEnabled('debug')) return
  const line = { status, ms: Math.round(ms), requestId, method: effective.method, path }
  if (status >= 500) log.warn(line, 'failed')
  else if (ms > slowMs) log.info(line, 'slow')
  else log.debug(line, 'answered')
}
