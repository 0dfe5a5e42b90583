import type { RequestListener } from 'node:http'
import { create } from '@bufbuild/protobuf'
import express from 'express'
import type { Logger } from 'pino'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { IdentifyRequestSchema } from '../gen/lrs/v1/relay_pb.js'
import { ambiguityOf } from '../shared/headers.ts'
import type { Exchange, GatewayContext, Handler } from './context.ts'
import type { Caller } from './core-connection/caller.ts'
import type { Relay } from './core-connection/relay.ts'
import { beginExchange, callerOf, end } from './ended.ts'
import { contentFor, effectiveRequest, isAlternate, readForm } from './http/alternate-request.ts'
import { type Answer, conditioned } from './http/answer.ts'
import { readBody, strangerBytes, type BodyReader, type HeldBody } from './http/body.ts'
import { HttpRefusal } from './http/failure.ts'
import { actionsOf, answerOtherMethod } from './http/methods.ts'
import { readParameters, requireVersion } from './http/head.ts'
import { streamBody } from './http/stream-body.ts'
import { type Admission, createAdmission } from './load/admission.ts'
import { refuse, serveUnknownPath } from './refuse.ts'
import type { Action, BodyRules, RequestContext, Resource } from './resource.ts'
import { about } from './routes/about.ts'
import { activities } from './routes/activities.ts'
import { activityProfile, state, agentProfile, gameDocument } from './routes/documents.ts'
import { agents } from './routes/agents.ts'
import { healthz, readyz } from './routes/health.ts'
import { openApiResources } from './routes/openapi.ts'
import { statements } from './routes/statements.ts'
import { traced } from './traced.ts'

const noBody: Buffer = Buffer.alloc(0)

/** Finds the handler of each request by its path. */
export function createRouter(gateway: GatewayContext): RequestListener {
  const app = express()
  app
    .disable('x-powered-by')
    .disable('etag')
    .disable('query parser')
    .enable('case sensitive routing')
    .enable('strict routing')
  const documents = [state(), activityProfile(), agentProfile(), gameDocument()]
  const described = [statements(), ...documents, activities(), agents(), about(), healthz(), readyz()]
  const resources = [...described, ...openApiResources(described)]
  const handlers = new Map<string, Handler>()
  for (const resource of resources) {
    const handler = traced(resource, serve(resource, gateway))
    handlers.set(resource.path, handler)
    app.all(resource.path, handler)
  }
  app.use(serveUnknownPath(gateway))
  // a map instead of Express: its search for the route takes half the time of a whole answer
  return (request, response) => {
    const [path = ''] = request.url!.split('?', 1)
    const handler = handlers.get(path) ?? handlers.get(plainPath(path))
    if (handler === undefined) return void app(request, response)
    handler(request, response).catch((error: unknown) => {
      gateway.log.error({ err: error, path }, 'failed')
      response.destroy()
    })
  }
}

/**
 * The path without unnecessary percent-encoding (RFC 3986 6.2.2.2), and without a second slash at its start: TinCan.NET
 * puts one before a `more` link.
 */
function plainPath(path: string): string {
  const plain = path.replaceAll(/%(?:[46][1-9a-f]|[57][0-9a]|2[de]|3\d|5f|7e)/gi, (encoded) =>
    decodeURIComponent(encoded),
  )
  return plain.replace(/^\/\/(?=xapi\/)/, '/')
}

/** The handler of a resource. Each stage of `answer` may throw an HttpRefusal: their order is that of the refusals. */
function serve(resource: Resource, gateway: GatewayContext): Handler {
  const { alternateSyntax, relay } = gateway
  const actions = actionsOf(resource)
  const methods = [...actions.keys(), 'OPTIONS'].join(', ')
  const admissions = admissionsOf(resource, actions, gateway.log)

  async function answer(exchange: Exchange): Promise<Answer> {
    const found = ambiguityOf(exchange.request)
    if (found !== undefined) throw new HttpRefusal(found.status, { message: found.message, path: found.path })
    if (alternateSyntax && isAlternate(exchange.request)) await receiveForm(exchange, gateway)
    const { method, target, headers, content } = exchange.effective
    const action = actions.get(method)
    if (action === undefined) return answerOtherMethod(method, methods)
    exchange.action = action
    const caller = identify(exchange, resource, gateway)
    const parameters = readParameters(target, action.parameters)
    caller.limitKey = `${method} ${resource.path} ${parameters['agent'] ?? ''}`
    // one that still holds: then no body need be read
    const repeated = resource.open ? undefined : relay.refuses(caller)
    // to throw it would take a tenth of the time of a refusal
    if (repeated !== undefined) return refuse(repeated, exchange, resource, gateway)
    const admission = admissions.get(action)
    const head = method === 'HEAD'
    const context: RequestContext = { caller, parameters, headers, body: noBody, incoming: undefined, head }
    if (content !== undefined) {
      // decoding it takes up to 80 ms
      if (content.length > strangerBytes) await acceptBody(exchange.body!, caller, gateway)
      context.body = contentFor(action, headers, content)
    } else if (action.body !== undefined) {
      action.body.check(headers)
      admission?.expectRoom(caller.name)
      await receiveBody(exchange, action.body, context, gateway)
    }
    return conditioned(await run(action, context, relay, admission), headers)
  }

  return async (request, response) => {
    const exchange = beginExchange(request, response)
    let reply: Answer
    try {
      reply = await answer(exchange)
    } catch (error) {
      reply = await refuse(error, exchange, resource, gateway)
    } finally {
      exchange.body?.done()
    }
    await end(gateway, exchange, resource, await gateway.compress(reply, request))
  }
}

/** Each kind of request has an admission of its own: a flood of one kind does not keep out the others. */
function admissionsOf({ path, open }: Resource, actions: ReadonlyMap<string, Action>, log: Logger) {
  const admissions = new Map<Action, Admission>()
  for (const [method, action] of open ? [] : actions) {
    if (admissions.has(action)) continue
    const report = (refused: number) => log.warn({ method, path, refused }, 'requests refused: core is overloaded')
    admissions.set(action, createAdmission(report))
  }
  return admissions
}

/** Replaces the request by the one in its form, if it has one. */
async function receiveForm(exchange: Exchange, { budget }: GatewayContext): Promise<void> {
  const { request, response } = exchange
  const body = (exchange.body = budget.begin(false))
  // the form itself has the credential: until then its bytes are a stranger's
  const form = await readForm(request, response, { body, expectAccepted: async () => {} })
  exchange.effective = effectiveRequest(request, form)
}

/** Requires credential and version; an open resource needs neither. */
function identify(exchange: Exchange, { open }: Resource, gateway: GatewayContext): Caller {
  const { requestId, effective } = exchange
  if (open) return { authorization: '', name: '', address: '', version: '', requestId }
  exchange.caller = callerOf(gateway, exchange)
  exchange.caller.version = requireVersion(effective.headers)
  return exchange.caller
}

/** Asks core whether it accepts the caller, unless it has done so before. Throws the HttpRefusal if it does not. */
async function expectAccepted(caller: Caller, { relay, callers }: GatewayContext): Promise<void> {
  if (caller.name !== '') return
  await relay.call('identify', create(IdentifyRequestSchema), caller).catch((error: unknown) => {
    // a core of the version before does not know this call
    if (!(error instanceof HttpRefusal && error.reason === Reason.INVALID)) throw error
  })
  caller.name = callers.nameOf(caller.authorization)
  if (caller.name !== '') caller.address = ''
}

/** Lets the body use the room of accepted callers. Throws the HttpRefusal of a caller whom core does not accept. */
async function acceptBody(body: HeldBody, caller: Caller, gateway: GatewayContext): Promise<void> {
  await expectAccepted(caller, gateway)
  body.accept()
}

/** Reads the body, or lets the action read it as it arrives. */
async function receiveBody(exchange: Exchange, rules: BodyRules, context: RequestContext, gateway: GatewayContext) {
  const { request, response } = exchange
  const { caller } = context
  const body = (exchange.body = gateway.budget.begin(caller.name !== ''))
  const reader: BodyReader = { body, expectAccepted: () => acceptBody(body, caller, gateway) }
  if (rules.streams?.(context.headers)) {
    await reader.expectAccepted()
    context.incoming = { body: streamBody(request, response, gateway.streamMaxBytes, body), held: body }
  } else context.body = await readBody(request, response, rules.limit, reader)
}

/** Waits for admission, unless the body is streamed: its duration depends on the sender, not on the load of core. */
function run(action: Action, context: RequestContext, relay: Relay, admission: Admission | undefined) {
  if (admission === undefined || context.incoming !== undefined) return action.run(context, relay)
  return admission.take(context.caller.name, () => action.run(context, relay))
}
