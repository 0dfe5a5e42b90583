import type { ServerDuplexStream } from '@grpc/grpc-js'
import { Server, ServerCredentials, status } from '@grpc/grpc-js'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from '../../gen/grpc/health/v1/health_pb.js'
import type { ExchangeRequest, ExchangeResponse, RelayReply, RelayRequest } from '../../gen/lrs/v1/relay_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { ExchangeRequestSchema, ExchangeResponseSchema, RelayReplySchema } from '../../gen/lrs/v1/relay_pb.js'

export type Result = RelayReply['result']
type Stream = ServerDuplexStream<ExchangeRequest, ExchangeResponse>

/** A core for tests: answers each request with what `reply` says, and keeps no rows. */
export interface FakeCore {
  url: string
  port: number
  /** What came, oldest first. */
  requests: RelayRequest[]
  /** How many requests came in each message. */
  batches: number[]
  /** Undefined: no answer ever. */
  reply: (request: RelayRequest) => Result | undefined | Promise<Result | undefined>
  health: HealthCheckResponse_ServingStatus
  /** For how long refusals of it hold. */
  holdsMs: number
  /** Breaks every stream. */
  drop(): void
  /** Takes no new streams and waits until those that are open are ended. */
  leave(): Promise<void>
  close(): void
}

export const serviceToken = 'service-token-of-the-tests'

const bytesOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Starts one on a free port, or on the port given. */
export async function startFakeCore(reply: FakeCore['reply'], port = 0, host = '127.0.0.1'): Promise<FakeCore> {
  const streams = new Set<Stream>()
  const server = new Server({ 'grpc.max_receive_message_length': 4 * 1024 * 1024 })
  const core: FakeCore = {
    url: '',
    port,
    requests: [],
    batches: [],
    reply,
    health: HealthCheckResponse_ServingStatus.SERVING,
    holdsMs: 0,
    drop() {
      for (const stream of streams) stream.emit('error', { code: status.UNAVAILABLE, details: 'dropped' })
      streams.clear()
    },
    leave: () => new Promise((done) => server.tryShutdown(() => done())),
    close: () => server.forceShutdown(),
  }
  server.addService(
    {
      exchange: {
        path: '/lrs.v1.RelayService/Exchange',
        requestStream: true,
        responseStream: true,
        requestSerialize: (message: ExchangeRequest) => bytesOf(toBinary(ExchangeRequestSchema, message)),
        requestDeserialize: (bytes: Buffer) => fromBinary(ExchangeRequestSchema, bytes),
        responseSerialize: (message: ExchangeResponse) => bytesOf(toBinary(ExchangeResponseSchema, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(ExchangeResponseSchema, bytes),
      },
      check: {
        path: '/grpc.health.v1.Health/Check',
        requestStream: false,
        responseStream: false,
        requestSerialize: () => Buffer.alloc(0),
        requestDeserialize: (bytes: Buffer) => fromBinary(HealthCheckRequestSchema, bytes),
        responseSerialize: () =>
          bytesOf(toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status: core.health }))),
        responseDeserialize: (bytes: Buffer) => fromBinary(HealthCheckResponseSchema, bytes),
      },
    },
    {
      exchange: (stream: Stream) => {
        if (stream.metadata.get('authorization')[0] !== `Bearer ${serviceToken}`) {
          stream.emit('error', { code: status.UNAUTHENTICATED, details: 'no service token' })
          return
        }
        streams.add(stream)
        stream.on('data', (message: ExchangeRequest) => void answer(stream, message, core))
        stream.on('cancelled', () => streams.delete(stream))
        stream.on('end', () => stream.end())
      },
      check: (_call: unknown, done: (error: null, response: object) => void) => done(null, {}),
    },
  )
  core.port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  core.url = `http://${host}:${core.port}`
  return core
}

async function answer(stream: Stream, { requests }: ExchangeRequest, core: FakeCore): Promise<void> {
  core.batches.push(requests.length)
  const replies: RelayReply[] = []
  const late: Promise<void>[] = []
  for (const request of requests) {
    core.requests.push(request)
    const result = core.reply(request)
    if (result instanceof Promise) late.push(result.then((value) => send(stream, request, value)))
    else if (result !== undefined) replies.push(replyTo(request, result, core.holdsMs))
  }
  if (replies.length > 0) stream.write({ $typeName: 'lrs.v1.ExchangeResponse', replies })
  await Promise.all(late)
}

/** Core names its callers, unless the gateway knows them. */
function replyTo({ id, address, authorization }: RelayRequest, result: Result, holdsMs: number): RelayReply {
  const isAccepted = !(
    result.case === 'failure' && [Reason.UNAUTHENTICATED, Reason.UNAVAILABLE].includes(result.value.reason)
  )
  return create(RelayReplySchema, {
    id,
    holdsMs,
    caller: address && isAccepted ? `name of ${authorization}` : '',
    result,
  })
}

function send(stream: Stream, request: RelayRequest, result: Result | undefined): void {
  if (result === undefined || stream.cancelled) return
  stream.write({
    $typeName: 'lrs.v1.ExchangeResponse',
    replies: [replyTo(request, result, 0)],
  })
}
