import { create, type MessageShape } from '@bufbuild/protobuf'
import { Server, ServerCredentials, status, type ServerDuplexStream } from '@grpc/grpc-js'
import { Health, HealthCheckRequestSchema, HealthCheckResponseSchema } from '../../gen/grpc/health/v1/health_pb.js'
import {
  ExchangeRequestSchema,
  ExchangeResponseSchema,
  RelayReplySchema,
  RelayService,
  type ExchangeRequest,
  type ExchangeResponse,
  type RelayReply,
  type RelayRequest,
} from '../../gen/lrs/v1/relay_pb.js'
import type { Core } from '../context.ts'
import { isAway, Refusal } from '../refusal.ts'
import { fairQueue } from '../concurrency/fair-queue.ts'
import { Problem } from '../xapi/problem.ts'
import { mayCall } from './access.ts'
import * as documents from './documents.ts'
import { failureOf } from './failure.ts'
import { codec, pathOf } from './grpc.ts'
import { http2Bounds } from './http2-bounds.ts'
import { pageQueues } from './page-queues.ts'
import { perform, type Operation } from './operation.ts'
import { addAttachments } from './relay-attachments.ts'
import { responseOf } from './reply-frame.ts'
import { statusOf } from './health.ts'
import { timed } from './timed.ts'
import * as statements from './statements.ts'
import { noteRefusedByGateway } from './watch.ts'
import { begin } from '../../shared/tracing/trace.ts'

/** The operation behind each call that a gateway may relay. */
const operations: {
  [Case in Exclude<RelayRequest['call']['case'], undefined | 'noteRefusal'>]: Operation<never, object>
} = {
  storeStatements: statements.store,
  getStatement: statements.get,
  queryStatements: statements.query,
  getPerson: statements.person,
  getActivity: statements.activity,
  putDocument: documents.put,
  getDocument: documents.get,
  listDocuments: documents.list,
  deleteDocument: documents.remove,
  deleteDocuments: documents.removeAll,
}

/** Most open calls of one stream. A gateway stays below it, so more calls are an error. */
const openCalls = 4_096
const messageBytes = 16 * 1024 * 1024
/** Larger replies are sent one after the other, so a small reply never waits for several of them. */
const smallBytes = 64 * 1024

/**
 * The server for gateways. It uses grpc-js, whose streams carry two and a half times as much as those of connect-node
 * (docs/adr/0004). Replies that are ready in the same turn of the event loop travel together.
 */
export function relayServer(core: Core): Server {
  const server = new Server({
    'grpc.max_receive_message_length': messageBytes,
    'grpc.max_concurrent_streams': 64,
    'grpc-node.flow_control_window': 8 * 1024 * 1024,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5_000,
  })
  // grpc-js has no options for these settings of Node's server
  Object.assign((server as unknown as { commonServerOptions: object }).commonServerOptions, http2Bounds)
  server.addService(
    {
      exchange: {
        path: pathOf(RelayService.typeName, 'Exchange'),
        requestStream: true,
        responseStream: true,
        ...codec(ExchangeRequestSchema, ExchangeResponseSchema),
        responseSerialize: ({ replies }: ExchangeResponse) => responseOf(replies) as Buffer,
      },
    },
    { exchange: (stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>) => exchange(core, stream) },
  )
  addAttachments(server, core)
  server.addService(
    // a stream whose messages nobody reads, so strangers cannot make core read large ones
    {
      check: {
        path: pathOf(Health.typeName, 'Check'),
        requestStream: true,
        responseStream: false,
        ...codec(HealthCheckRequestSchema, HealthCheckResponseSchema),
      },
    },
    {
      check: (_call: unknown, reply: (error: null, response: MessageShape<typeof HealthCheckResponseSchema>) => void) =>
        void statusOf(core).then((status) => reply(null, create(HealthCheckResponseSchema, { status }))),
    },
  )
  return server
}

/** Listens and returns the port. */
export function bindRelay(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error)
        reject(Object.assign(error, { code: /EADDRINUSE/.test(error.message) ? 'EADDRINUSE' : undefined, port }))
      else resolve(bound)
    })
  })
}

function exchange(core: Core, stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>): void {
  if (
    !mayCall(RelayService.method.exchange, core.services.roleOf(String(stream.metadata.get('authorization')[0] ?? '')))
  ) {
    stream.emit('error', {
      code: status.UNAUTHENTICATED,
      details: 'The relay takes a service token of the role gateway.',
    })
    return
  }
  let replies: RelayReply[] = []
  let open = 0
  let ended = false
  const flush = () => {
    const ready = replies
    replies = []
    if (ready.length > 0 && !stream.destroyed) stream.write(create(ExchangeResponseSchema, { replies: ready }))
    if (ended && open === 0) stream.end()
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
  const answer = async (request: RelayRequest): Promise<number> => {
    const { reply, error } = await handle(core, request)
    // otherwise each waiting page would find out by itself that the database is away
    if (isAway(error)) pages.refuse(error)
    const size = sizeOf(reply)
    if (size <= smallBytes) send(reply)
    else await large.run(request.authorization, () => sendLarge(reply))
    return size
  }
  const take = async (request: RelayRequest): Promise<void> => {
    try {
      if (++open > openCalls) throw new Refusal('unavailable', 'Too many calls are open; try again.')
      if (request.call.case === 'queryStatements') await pages.run(request.authorization, () => answer(request))
      else await answer(request)
    } catch (error) {
      send(refused(core, request, error).reply)
    }
    if (--open === 0 && ended) setImmediate(flush)
  }
  stream.on('data', ({ requests }: ExchangeRequest) => {
    for (const request of requests) void take(request)
  })
  stream.on('error', () => stream.end())
  stream.on('end', () => {
    ended = true
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
async function handle(core: Core, request: RelayRequest): Promise<{ reply: RelayReply; error?: unknown }> {
  const { id, authorization, version, call, traceParent: parent } = request
  const done = timed(core.meters, call.case ?? 'unknown', 'relay')
  try {
    if (call.case === 'noteRefusal') {
      noteRefusedByGateway(core, authorization, call.value)
      done()
      return { reply: create(RelayReplySchema, { id, result: { case: 'noteRefusal', value: {} } }) }
    }
    if (call.case === undefined) throw new Problem('call', 'is missing, or newer than this core')
    const operation = operations[call.case] as Operation<unknown, object>
    const value = await begin(call.case, { kind: 'server', parent }, () =>
      perform(core, operation, call.value, { authorization, version }),
    )
    done()
    return { reply: create(RelayReplySchema, { id, result: { case: call.case, value } as RelayReply['result'] }) }
  } catch (error) {
    const { reply, reason } = refused(core, request, error)
    done(reason)
    return { reply, error }
  }
}

function refused(core: Core, { id, requestId, call }: RelayRequest, error: unknown) {
  const { failure } = failureOf(error, core.log, { request: requestId, method: call.case })
  const holdsMs = error instanceof Refusal ? Math.floor(error.holds) : 0
  const reply = create(RelayReplySchema, { id, holdsMs, result: { case: 'failure', value: failure } })
  return { reply, reason: failure.reason }
}
