import { create } from '@bufbuild/protobuf'
import { status, type ServerDuplexStream } from '@grpc/grpc-js'
import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import {
  ExchangeResponseSchema,
  RelayReplySchema,
  type ExchangeRequest,
  type ExchangeResponse,
  type RelayReply,
  type RelayRequest,
} from '../../../gen/lrs/v1/relay_pb.js'
import { nameOf, type Caller } from '../../records/access/caller.ts'
import type { Core } from '../../context.ts'
import { isAway, Refusal } from '../../process/refusal.ts'
import { fairQueue } from '../../process/concurrency/fair-queue.ts'
import { Problem } from '../../process/problem.ts'
import { mayCall } from '../admit.ts'
import type { Call } from '../../process/methods/call.ts'
import { ended, identified, perform } from '../../records/calls/perform.ts'
import { failureOf } from '../../process/methods/failure.ts'
import { pageQueues } from './page-queues.ts'
import { operations } from '../services/services.ts'
import { showRefusedByGateway } from '../../records/calls/show.ts'
import { begin } from '../../../shared/tracing/trace.ts'

/** The operation behind each call that a gateway may relay: a call has the name of the operation's method. */
const relayed = new Map(operations.map((operation) => [operation.method.localName, operation]))

/** Most open calls of one stream. A gateway stays below it, so more calls are an error. */
const openCalls = 4_096
/** Larger replies are sent one after the other, so a small reply never waits for several of them. */
const smallBytes = 64 * 1024

/** Serves one gateway. Replies that are ready in the same turn of the event loop are sent together. */
export function exchange(core: Core, stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>): void {
  if (!mayCall(['gateway'], core.services.roleOf(String(stream.metadata.get('authorization')[0] ?? '')))) {
    stream.emit('error', {
      code: status.UNAUTHENTICATED,
      details: 'The relay needs a service token of the role gateway.',
    })
    return
  }
  let replies: RelayReply[] = []
  let open = 0
  let isOver = false
  const flush = () => {
    const ready = replies
    replies = []
    if (ready.length > 0 && !stream.destroyed) stream.write(create(ExchangeResponseSchema, { replies: ready }))
    if (isOver && open === 0) stream.end()
  }
  const pages = pageQueues()
  const large = fairQueue({ concurrency: 1, concurrencyOfOne: 1, maxWait: 10_000 })
  const send = (reply: RelayReply): void => {
    if (replies.push(reply) === 1) setImmediate(flush)
  }
  const sendLarge = (reply: RelayReply): Promise<void> =>
    new Promise((done) => {
      if (stream.destroyed) done()
      else stream.write(create(ExchangeResponseSchema, { replies: [reply] }), () => done())
    })
  /** Resolves with the bytes of the reply after the network has taken it. */
  const answer = async (request: RelayRequest, call: Call): Promise<number> => {
    const { reply, error } = await handle(core, request, call)
    // otherwise each waiting page would find out by itself that the database is away
    if (error !== undefined && isAway(error)) pages.refuse(error)
    const size = sizeOf(reply)
    if (size <= smallBytes) send(reply)
    else await large.run(nameOf(call.asked!.caller!), () => sendLarge(reply))
    return size
  }
  const take = async (request: RelayRequest): Promise<void> => {
    try {
      if (++open > openCalls) throw new Refusal('unavailable', 'Too many calls are open; try again.')
      const call = callOf(request)
      const caller = request.call.case === 'queryStatements' ? await identified(core, call).catch(() => {}) : undefined
      if (caller) await pages.run(nameOf(caller), () => answer(request, call))
      else await answer(request, call)
    } catch (error) {
      send(refused(request, error, failureIn(core, request, error)))
    }
    if (--open === 0 && isOver) setImmediate(flush)
  }
  stream.on('data', ({ requests }: ExchangeRequest) => {
    for (const request of requests) void take(request)
  })
  stream.on('error', () => stream.end())
  stream.on('end', () => {
    isOver = true
    flush()
  })
}

/** The approximate bytes of a reply: those of its content. */
function sizeOf({ result }: RelayReply): number {
  if (result.case === 'queryStatements') return result.value.jsonRun.byteLength
  if (result.case === 'getStatement') return result.value.json.byteLength
  return result.case === 'getDocument' ? result.value.content.byteLength : 0
}

/** @returns the reply, and the error behind a failure */
async function handle(core: Core, request: RelayRequest, call: Call): Promise<{ reply: RelayReply; error?: unknown }> {
  const { id, call: asked, traceParent: parent } = request
  const operation = relayed.get(asked.case ?? '')
  let known: Caller | undefined
  try {
    let response: object = {}
    if (asked.case === 'noteRefusal') showRefusedByGateway(core, call, asked.value)
    else if (asked.case === 'identify') known = await identified(core, call)
    else if (operation === undefined) throw new Problem('call', 'is missing, or newer than this core')
    else
      response = await begin(operation.method.localName, { kind: 'server', parent }, () =>
        perform(core, operation, asked.value as never, call),
      )
    ended(core, call, { response })
    const result = { case: asked.case, value: response } as RelayReply['result']
    return { reply: create(RelayReplySchema, { id, caller: nameFor(call, known), result }) }
  } catch (error) {
    const failure = failureIn(core, request, error)
    ended(core, call, { error, failure })
    return { reply: { ...refused(request, error, failure), caller: nameFor(call) }, error }
  }
}

/** Who calls, where the gateway does not know that yet; empty: nobody whom core accepts. */
const nameFor = ({ address, asked }: Call, caller = asked?.caller): string =>
  caller && address !== undefined ? nameOf(caller) : ''

const callOf = ({ requestId, authorization, address, version, call }: RelayRequest): Call => ({
  method: relayed.get(call.case ?? '')?.method.name ?? (call.case === 'noteRefusal' ? 'NoteRefusal' : 'Unknown'),
  way: 'relay',
  began: performance.now(),
  requestId,
  authorization,
  address: address || undefined,
  version,
})

const failureIn = ({ log }: Core, { requestId, call }: RelayRequest, error: unknown): Failure =>
  failureOf(error, log, { request: requestId, method: call.case }).failure

function refused({ id }: RelayRequest, error: unknown, failure: Failure): RelayReply {
  const holdsMs = error instanceof Refusal ? Math.floor(error.holds) : 0
  return create(RelayReplySchema, { id, holdsMs, result: { case: 'failure', value: failure } })
}
