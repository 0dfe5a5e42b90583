import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { create } from '@bufbuild/protobuf'
import type { Logger } from 'pino'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { NoteRefusalRequestSchema } from '../gen/lrs/v1/relay_pb.js'
import type { Admission } from './load/admission.ts'
import { createAdmission, overloaded } from './load/admission.ts'
import type { EffectiveRequest } from './http/alternate-request.ts'
import { checkForm, contentFor, isAlternate, maxForm, effectiveRequest } from './http/alternate-request.ts'
import { refuseAmbiguous } from './http/ambiguous.ts'
import type { Answer } from './http/answer.ts'
import { refused, send } from './http/answer.ts'
import { readBody, streamBody } from './http/body.ts'
import { conditioned } from './http/conditions.ts'
import { invalid, refusal, Refusal, shown } from './http/failure.ts'
import { readParameters } from './http/parameters.ts'
import type { GatewayContext } from './context.ts'
import type { Caller } from './core-connection/caller.ts'
import { requestIdOf } from './http/request-id.ts'
import type { Action, Incoming, Resource } from './resource.ts'
import { versionOf } from './http/version.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const empty: Buffer = Buffer.alloc(0)
const slowMs = 1000
const maxShown = 1000
const authorizationPattern = /^(?:Basic|Bearer) +[\w.~+/-]+=*$/i

/** Headers that games send. `*` would not cover Authorization. */
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'X-Experience-API-Version',
  'X-Experience-API-Hash',
  'If-Match',
  'If-None-Match',
  'Accept',
  'Accept-Language',
  'Content-Encoding',
  'X-Request-Id',
].join(', ')

/** The handler of a resource: route and method, then credential, version, parameters and body are refused in this order. */
export function serve(resource: Resource, gateway: GatewayContext): Handler {
  const actions = new Map<string, Action>(Object.entries(resource.actions))
  const get = actions.get('GET')
  if (get !== undefined) actions.set('HEAD', get)
  const methods = [...actions.keys(), 'OPTIONS'].join(', ')
  // each kind of request has a bound of its own: who floods with one does not keep others from another
  const admissions = new Map<Action, Admission>()
  for (const [method, action] of resource.open ? [] : actions) {
    if (admissions.has(action)) continue
    const tell = (refused: number): void => gateway.log.warn({ method, path: resource.path, refused }, 'asked for more than core can do')
    admissions.set(action, createAdmission(tell))
  }
  return async (request, response) => {
    const began = performance.now()
    const requestId = requestIdOf(request.headers['x-request-id'])
    let effective: EffectiveRequest = { method: request.method!, target: request.url!, headers: request.headers }
    let action: Action | undefined
    let caller: Caller | undefined
    let held = 0
    let answer: Answer
    try {
      refuseAmbiguous(request)
      if (gateway.alternateSyntax && isAlternate(request)) {
        checkForm(request)
        const form = await readBody(request, response, maxForm, gateway.budget)
        held = form.length
        effective = effectiveRequest(request, form)
      }
      const { method, target, headers, content } = effective
      action = actions.get(method)
      if (action === undefined) {
        if (method !== 'OPTIONS') throw wrongMethod(methods)
        answer = preflight(methods)
      } else {
        const authorization = resource.open ? '' : credentialOf(headers)
        const version = askedFor(headers)
        if (version === undefined && !resource.open) throw wrongVersion(versionHeader(headers))
        caller = { authorization, version: version ?? '', requestId }
        const parameters = readParameters(target, action.parameters)
        if (!resource.open) {
          caller.limitKey = `${method} ${resource.path} ${parameters['agent'] ?? ''}`
          const refused = gateway.relay.refuses(caller)
          if (refused !== undefined) throw refused
        }
        const name = gateway.authenticated.nameOf(authorization)
        let body = empty
        let incoming: Incoming | undefined
        if (content !== undefined) body = contentFor(action, headers, content)
        else if (action.body !== undefined) {
          action.body.check(headers)
          admissions.get(action)?.expectRoom(name)
          if (action.body.streams?.(headers)) incoming = { body: streamBody(request, response, gateway.streamMaxBytes), budget: gateway.budget }
          else {
            body = await readBody(request, response, action.body.limit, gateway.budget)
            held = body.length
          }
        }
        const { run } = action
        const context = { caller, parameters, headers, body, incoming, head: method === 'HEAD' }
        const work = () => run(context, gateway.relay)
        // what is read as it comes takes as long as its sender
        const admission = incoming === undefined ? admissions.get(action) : undefined
        answer = conditioned(await (admission === undefined ? work() : admission.take(name, work)), headers)
        if (name === '' && !resource.open) gateway.authenticated.accept(authorization)
      }
    } catch (error) {
      if (!(error instanceof Refusal)) gateway.log.error({ err: error, requestId, method: effective.method, path: resource.path }, 'failed')
      const said = error instanceof Refusal ? error : refusal(Reason.INTERNAL)
      gateway.meters.refused(said)
      if (!resource.open) noteRefusal(gateway, said, effective, resource.path, requestId)
      const known = said.status !== 401 && said.status < 500 ? caller : undefined
      if (known !== undefined && said.byCore) gateway.authenticated.accept(known.authorization)
      answer = refused(said, await action?.refusalHeaders?.(gateway.relay, known))
    } finally {
      gateway.budget.held -= held
    }
    const version = askedFor(effective.headers) ?? gateway.defaultVersion
    const frame = { version, requestId, last: gateway.closing, downloads: gateway.downloads }
    const status = await send(request, response, await gateway.compress(answer, request), frame)
    const ms = performance.now() - began
    gateway.meters.answered(resource.path, effective.method, status, ms)
    // of those who were not let in there are too many to tell of each
    if (!resource.open && answer.body !== overloaded.body) report(gateway.log, status, ms, requestId, effective.method, resource.path)
  }
}

const nowhere =
  'There is nothing at this path; the resources are /xapi/statements, /xapi/activities, /xapi/activities/state, /xapi/activities/profile, ' +
  '/xapi/agents, /xapi/agents/profile and /xapi/about, without a slash at the end'
const anyMethod = 'GET, HEAD, POST, PUT, DELETE, OPTIONS'

/** The handler of every other path. */
export function serveNothing(gateway: GatewayContext): Handler {
  return serveRefusal(gateway, refusal(Reason.NOT_FOUND, nowhere))
}

/** The handler of requests with an Expect header that asks for more than `100-continue` (RFC 9110 10.1.1). */
export function serveExpectation(gateway: GatewayContext): Handler {
  return serveRefusal(gateway, new Refusal(417, { message: 'Expect: must be 100-continue, or missing', path: 'Expect' }))
}

function serveRefusal(gateway: GatewayContext, said: Refusal): Handler {
  return async (request, response) => {
    const requestId = requestIdOf(request.headers['x-request-id'])
    const version = askedFor(request.headers) ?? gateway.defaultVersion
    // a browser that is refused here would keep from the game what is wrong
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    const effective = { method: request.method!, target: request.url!, headers: request.headers }
    if (!isPreflight && request.url!.startsWith('/xapi')) noteRefusal(gateway, said, effective, shownPath(request.url!), requestId)
    const answer = isPreflight ? preflight(anyMethod) : refused(said)
    const began = performance.now()
    await send(request, response, answer, { version, requestId, last: gateway.closing, downloads: gateway.downloads })
    if (!isPreflight) gateway.meters.refused(said)
    gateway.meters.answered('other', effective.method, answer.status, performance.now() - began)
  }
}

function preflight(methods: string): Answer {
  const headers = [
    'Access-Control-Allow-Methods', methods,
    'Access-Control-Allow-Headers', allowedHeaders,
    'Access-Control-Max-Age', '86400',
    'Allow', methods,
  ]
  return { status: 204, headers }
}

function wrongMethod(methods: string): Refusal {
  return new Refusal(405, { message: `This resource knows only ${methods}` }, ['Allow', methods])
}

/** What core has not seen, the studio whose game it is wants to see all the same. */
function noteRefusal({ relay }: GatewayContext, said: Refusal, { method, headers }: EffectiveRequest, path: string, requestId: string): void {
  const { authorization } = headers
  if (said.byCore || said.status >= 500 || authorization === undefined || !authorizationPattern.test(authorization)) return
  const failure = create(FailureSchema, { reason: said.reason, message: said.message.slice(0, maxShown), path: said.path.slice(0, maxShown) })
  const refused = create(NoteRefusalRequestSchema, { request: `${method} ${path}`, status: said.status, failure })
  relay.note(refused, { authorization, version: '', requestId })
}

/** A path that is none of ours, without parameters. */
function shownPath(target: string): string {
  return target.split('?', 1)[0]!.slice(0, 100)
}

/** Empty without the header. */
const versionHeader = ({ 'x-experience-api-version': version = '' }: IncomingHttpHeaders) => version as string
const askedFor = (headers: IncomingHttpHeaders) => versionOf(versionHeader(headers))

function credentialOf({ authorization }: IncomingHttpHeaders): string {
  if (authorization !== undefined && authorizationPattern.test(authorization)) return authorization
  const what = authorization === undefined ? 'this header is missing; send' : 'must be'
  throw refusal(Reason.UNAUTHENTICATED, `Authorization: ${what} "Basic <base64 of key:secret>" or "Bearer <launch token>"`)
}

function wrongVersion(asked: string): Refusal {
  const what = asked === '' ? 'this header is missing' : `${shown(asked)} is not supported`
  return invalid('X-Experience-API-Version', `${what}; send 1.0.3 (any 1.0.x) or 2.0.x`)
}

function report(log: Logger, status: number, ms: number, requestId: string, method: string, path: string): void {
  if (status >= 500) log.warn({ status, ms: Math.round(ms), requestId, method, path }, 'failed')
  else if (ms > slowMs) log.info({ status, ms: Math.round(ms), requestId, method, path }, 'slow')
  else if (log.isLevelEnabled('debug')) log.debug({ status, ms: Math.round(ms), requestId, method, path }, 'answered')
}
