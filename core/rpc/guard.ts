import type { Interceptor, StreamRequest, UnaryRequest } from '@connectrpc/connect'
import { createValidateInterceptor } from '@connectrpc/validate'
import { FailureSchema } from '../../gen/lrs/v1/failure_pb.js'
import { personalTokenIn } from '../accounts/access/personal-tokens.ts'
import { requireScope, tokenHolder } from '../accounts/access/token-holder.ts'
import type { Core, Authentication } from '../context.ts'
import { admit, requireOpen } from './admit.ts'
import { callKey, nameOf, rpcCall, type Call, type Outcome } from '../process/methods/call.ts'
import type { Declared } from '../process/methods/declaration.ts'
import { ended } from '../records/calls/perform.ts'
import { connectErrorOf } from '../process/methods/failure.ts'
import { noteCall } from './note-call.ts'
import { peer } from './services/health.ts'
import { refusedKey } from '../process/methods/refused.ts'
import { declaredOf } from './services/services.ts'
import { begin, isTracing } from '../../shared/tracing/trace.ts'
import { personOf } from '../accounts/access/developer.ts'
import { requireRight } from '../accounts/access/rights.ts'

/**
 * The responses of a stream, which runs after its interceptors: maps its errors, and notes its end with the first
 * response or an error before it.
 * @param signal ends when the caller has gone
 */
async function* streamed<T>(
  core: Core,
  call: Call,
  responses: AsyncIterable<T>,
  signal: AbortSignal,
  end: (outcome: Outcome) => Promise<void>,
): AsyncGenerator<T> {
  const source = responses[Symbol.asyncIterator]()
  let isNoted = false
  const note = async (outcome: Outcome): Promise<void> => {
    if (isNoted) return
    isNoted = true
    await end(outcome)
  }
  const next = async (): Promise<IteratorResult<T>> => {
    try {
      const one = await source.next()
      await note(one.done ? {} : { response: one.value })
      return one
    } catch (error) {
      const told = connectErrorOf(error, core.log, { ...nameOf(call), signal })
      await note({ error, failure: told.findDetails(FailureSchema)[0] })
      throw told
    }
  }
  try {
    // an error thrown at the yield means that the caller has left
    for (let one = await next(); !one.done; one = await next()) yield one.value
  } finally {
    await source.return?.()
  }
}

/** @throws Refusal unless the service, the game or the personal token may call the method */
async function admitCaller(
  { services, store, notices }: Core,
  { contextValues }: UnaryRequest | StreamRequest,
  call: Call,
  declared: Declared,
): Promise<void> {
  const token = personalTokenIn(call.authorization)
  if (token === undefined) return admit(declared, services.roleOf(call.authorization))
  call.person = call.holder = await tokenHolder(store, token, contextValues.get(peer), notices.mail)
  requireScope(call.holder, declared.tokens)
}

/** It compiles the rules of a message once: one for the process. */
const validate = createValidateInterceptor()

/** Wraps every call: access, the rules of the contract, mapping of errors, what follows from its end. */
export function interceptors(core: Core): Interceptor[] {
  const guard: Interceptor = (next) => async (request) => {
    const declared = declaredOf(request.method)!
    const from = { address: request.contextValues.get(peer), refused: request.contextValues.get(refusedKey) }
    const call = rpcCall(request.method.name, request.header, from, declared)
    request.contextValues.set(callKey, call)
    const end = async (outcome: Outcome): Promise<void> => {
      ended(core, call, outcome)
      await noteCall(core, request, call, outcome)
    }
    try {
      await admitCaller(core, request, call, declared)
      requireOpen(core.config.signIn, declared)
      await requireAdmin(core, declared, call)
      const response = await next(request)
      if (response.stream) return { ...response, message: streamed(core, call, response.message, request.signal, end) }
      await end({ response: response.message })
      return response
    } catch (error) {
      const told = connectErrorOf(error, core.log, { ...nameOf(call), signal: request.signal })
      await end({ error, failure: told.findDetails(FailureSchema)[0] })
      throw told
    }
  }
  return [guard, ...traced(core), validate]
}

/**
 * Traces each call if tracing is on; streams until their first answer. The trace continues that of our own services
 * (`traceparent`). Traces of other callers become links.
 */
function traced({ services }: Authentication): Interceptor[] {
  if (!isTracing()) return []
  return [
    (next) => (request) => {
      const given = request.header.get('traceparent') ?? ''
      const isOurs = services.roleOf(request.header.get('authorization') ?? '') !== undefined
      return begin(request.method.name, { kind: 'server', ...(isOurs ? { parent: given } : { links: [given] }) }, () =>
        next(request),
      )
    },
  ]
}

/**
 * For a method of operators: the session of an admin, or a service token of the role admin without a session.
 * @throws Refusal
 */
async function requireAdmin(
  { services, store, notices, config }: Pick<Core, 'services' | 'store' | 'notices' | 'config'>,
  { right }: Declared,
  call: Call,
): Promise<void> {
  if (right !== 'admin') return
  if (call.session === undefined && services.roleOf(call.authorization) === 'admin') return
  const person = await personOf(store, call.session ?? '', notices.mail)
  call.person = person
  requireRight(right, person, config.secondFactor)
}
