import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { create } from '@bufbuild/protobuf'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { NoteRefusalRequestSchema } from '../gen/lrs/v1/relay_pb.js'
import type { Exchange, GatewayContext } from './context.ts'
import { senderAddress } from '../shared/sender-address.ts'
import type { Caller } from './core-connection/caller.ts'
import { commonHeaders, refusalAnswer, type Answer } from './http/answer.ts'
import { hasBody } from './http/body.ts'
import { HttpRefusal } from './http/failure.ts'
import { timed, withFirstPiece, writePieces } from './http/long-answer.ts'
import { pieceBytes, type Download } from './load/download-budget.ts'
import { hasCredential, requestedVersion, requestIdOf, requireCredential } from './http/head.ts'
import { overloaded } from './load/admission.ts'

/** A shorter unwanted body is skipped. */
const smallBytes = 64 * 1024
const slowMs = 1000
/** Other methods count as one in metrics: clients could make up any number. */
const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'])
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

/** The caller of a request; its address counts until core has accepted it. Throws an HttpRefusal: 401. */
export function callerOf(
  { callers, trustProxy }: GatewayContext,
  { request, requestId, effective: { headers } }: Exchange,
): Caller {
  const sent = headers.authorization ?? ''
  const known = sent && callers.nameOf(sent)
  // only the one spelling is known: what is known need not be read
  const authorization = known === '' ? requireCredential(headers) : sent
  const name = known === '' && authorization !== sent ? callers.nameOf(authorization) : known
  const address = name === '' ? senderAddress(request, trustProxy) || 'unknown' : ''
  return { authorization, name, address, version: '', requestId, limitKey: '' }
}

/** Sends the answer, then counts, reports and logs the request. */
export async function end(gateway: GatewayContext, exchange: Exchange, route: Route, answer: Answer): Promise<void> {
  const status = await send(gateway, exchange, answer)
  const { log, meters } = gateway
  const { refusal, effective } = exchange
  const ms = performance.now() - exchange.began
  const labels = { route: route.name ?? route.path, method: methods.has(effective.method) ? effective.method : 'other' }
  meters.requests.inc({ ...labels, status })
  meters.seconds.observe(labels, ms / 1000)
  if (refusal !== undefined) noteRefusal(refusal, gateway, exchange, route)
  // refusals of the admission are too many for a log line each
  if (route.open || refusal === overloaded) return
  if (status < 500 && ms <= slowMs && !log.isLevelEnabled('debug')) return
  // a path that is not ours may have anything in it
  const path = route.name === undefined ? route.path : '/…'
  const line = { status, ms: Math.round(ms), requestId: exchange.requestId, method: effective.method, path }
  if (status >= 500) log.warn(line, 'failed')
  else if (ms > slowMs) log.info(line, 'slow')
  else log.debug(line, 'answered')
}

/** Counts a refusal, and reports it to core if it has not seen it, so that the studio of the game sees it in the portal. */
function noteRefusal(refusal: HttpRefusal, gateway: GatewayContext, exchange: Exchange, route: Route): void {
  const { reason, status, byCore } = refusal
  const { method, headers } = exchange.effective
  gateway.meters.refusals.inc({ reason: (Reason[reason] ?? 'other').toLowerCase(), by: byCore ? 'core' : 'gateway' })
  if (route.open || byCore || status >= 500 || !(exchange.caller || hasCredential(headers))) return
  const failure = create(FailureSchema, {
    reason,
    message: refusal.message.slice(0, maxReported),
    path: refusal.path.slice(0, maxReported),
  })
  const request = `${method} ${route.path}`
  const report = create(NoteRefusalRequestSchema, { request, status, failure, form: { ...failure, ...refusal.form } })
  gateway.relay.note(report, exchange.caller ?? callerOf(gateway, exchange))
}

/**
 * Sends the answer, without its body for HEAD. Resolves with the status that was sent when the body is written or the
 * client has disconnected. An answer for which there is no room in memory becomes 503.
 */
async function send(gateway: GatewayContext, exchange: Exchange, answer: Answer): Promise<number> {
  const { request, response, effective, caller, requestId } = exchange
  const { status, body = '' } = answer
  const text = typeof body === 'string' ? body : undefined
  const parts: Uint8Array[] = text === undefined ? [body as Uint8Array | readonly Uint8Array[]].flat() : []
  const size =
    answer.size ?? (text === undefined ? parts.reduce((sum, { length }) => sum + length, 0) : Buffer.byteLength(text))
  const streams = answer.stream !== undefined && request.method !== 'HEAD'
  const isLong = text === undefined && size > pieceBytes
  let download: Download | undefined
  let pieces: AsyncIterable<Uint8Array> | undefined
  if (streams || isLong) {
    try {
      download = gateway.downloads.begin(streams ? (answer.held ?? 0) : size, () => response.destroy())
      if (streams) pieces = await withFirstPiece(answer.stream!)
    } catch (error) {
      download?.done()
      if (!(error instanceof HttpRefusal)) throw error
      return send(gateway, exchange, refusalAnswer(error))
    }
  }
  const headers = commonHeaders(requestedVersion(effective.headers) ?? gateway.defaultVersion)
  headers.push('X-Request-Id', requestId)
  if (answer.headers !== undefined) headers.push(...answer.headers)
  if (answer.etag !== undefined) headers.push('ETag', answer.etag)
  if (status !== 204 && status !== 304) headers.push('Content-Length', String(size))
  const unread = !request.complete && hasBody(request) && !isSmall(request)
  if (gateway.closing || unread) headers.push('Connection', 'close')
  response.writeHead(status, headers)
  if (pieces !== undefined) {
    await pipeline(timed(pieces, download!), response).catch(() => response.destroy())
    download!.done()
    return status
  }
  const last = isLong ? undefined : (text ?? parts.pop())
  if (download !== undefined) await writePieces(response, parts, download)
  else for (const part of parts) response.write(part)
  if (!unread) {
    response.end(last)
    return status
  }
  if (last !== undefined && last.length > 0) response.write(last)
  else response.flushHeaders()
  const drain = caller === undefined || caller.name === '' ? gateway.drains.strangers : gateway.drains.accepted
  drain(request, response)
  return status
}

/** Whether the unwanted body is so short that skipping it costs less than a new connection. */
function isSmall({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= smallBytes
}
