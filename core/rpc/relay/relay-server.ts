import { create, type MessageShape } from '@bufbuild/protobuf'
import { logVerbosity, Server, setLogVerbosity, type ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js'
import { Health, HealthCheckRequestSchema, HealthCheckResponseSchema } from '../../../gen/grpc/health/v1/health_pb.js'
import {
  ExchangeRequestSchema,
  ExchangeResponseSchema,
  RelayService,
  type ExchangeRequest,
  type ExchangeResponse,
} from '../../../gen/lrs/v1/relay_pb.js'
import type { Core } from '../../context.ts'
import { codec, pathOf, responseOf } from '../../../shared/relay-codec.ts'
import { statusOf } from '../services/health.ts'
import { http2Bounds } from '../http2-bounds.ts'
import { addAttachments } from './relay-attachments.ts'
import { exchange } from './relay.ts'

// grpc-js prints headers from outside to the console if it rejects them, Authorization included
setLogVerbosity(logVerbosity.NONE)

const messageBytes = 16 * 1024 * 1024

/**
 * The server for gateways. It uses grpc-js, whose streams carry two and a half times as much as those of connect-node
 * (docs/adr/0004).
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
        // grpc-js uses only those parts of a message that a frame has
        responseSerialize: responseOf as unknown as (response: ExchangeResponse) => Buffer,
      },
    },
    { exchange: (stream: ServerDuplexStream<ExchangeRequest, ExchangeResponse>) => exchange(core, stream) },
  )
  addAttachments(server, core)
  server.addService(
    // declared as a stream whose messages nobody reads, so strangers cannot make core read large ones
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
export function bindRelay(server: Server, host: string, port: number, as: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, as, (error, bound) => {
      if (error)
        reject(Object.assign(error, { code: /EADDRINUSE/.test(error.message) ? 'EADDRINUSE' : undefined, port }))
      else resolve(bound)
    })
  })
}
