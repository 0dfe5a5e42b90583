import { type Client, connectivityState, Metadata, status } from '@grpc/grpc-js'
import { create } from '@bufbuild/protobuf'
import type { Logger } from 'pino'
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from '../../gen/grpc/health/v1/health_pb.js'
import type { Callers } from '../load/callers.ts'
import { codec, pathOf } from '../../shared/relay-codec.ts'
import type { CoreAddress } from './addresses.ts'
import { clientOf, type CoreWay } from './core-way.ts'
import type { RelayStream } from './relay-stream.ts'
import { openRelayStream } from './relay-stream.ts'

export interface CoreConnectionOptions {
  address: CoreAddress
  way: CoreWay
  serviceToken: string
  timeoutMs: number
  log: Logger
  callers: Callers
  /** Called with the stream for requests whenever the connection is established, and with undefined when it is lost. */
  onStream(stream: RelayStream | undefined): void
}

/** Keeps one core connected: reconnects whenever the connection breaks. */
export interface CoreConnection {
  /** Why core cannot serve requests; undefined: it can. */
  trouble(): Promise<string | undefined>
  /** Sends no more requests, and closes when those under way are answered. */
  leave(): void
  close(): void
}

const healthPath = pathOf(Health.typeName, 'Check')
const check = codec(HealthCheckRequestSchema, HealthCheckResponseSchema)
const healthMs = 1000
const firstDelayMs = 50
const lastDelayMs = 2000
/** Milliseconds between attempts to reach a core that is down: it should get requests as soon as it is up. */
const reconnectMs = 200
/** Milliseconds within which core rejects a wrong service token. */
const acceptedMs = 500
const wrongToken =
  'core refuses the service token of this gateway: ' +
  'LRS_SERVICE_TOKEN has to be the one that LRS_SERVICE_TOKENS of core has for gateway'

const channelOptions = {
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
  'grpc-node.flow_control_window': 8 * 1024 * 1024,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.initial_reconnect_backoff_ms': firstDelayMs,
  'grpc.max_reconnect_backoff_ms': reconnectMs,
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
}

/** Connects to a core and stays connected until it is closed. */
export function connectToCore({
  address,
  way,
  serviceToken,
  timeoutMs,
  log,
  callers,
  onStream,
}: CoreConnectionOptions): CoreConnection {
  const { target, client } = clientOf(address, way, channelOptions)
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${serviceToken}`)
  const streams = new Set<RelayStream>()
  let current: RelayStream | undefined
  let delayMs = firstDelayMs
  let isRefused = false
  let closed = false

  function use(stream: RelayStream | undefined): void {
    current = stream
    onStream(stream)
  }

  function connect(): void {
    if (closed) return
    client.waitForReady(Date.now() + lastDelayMs, (error) => {
      if (!error) return begin()
      isRefused = false
      connect()
    })
  }

  function begin(): void {
    if (closed) return
    const stream = openRelayStream(client, metadata, timeoutMs, callers, {
      onFirstReply: () => (delayMs = firstDelayMs),
      onEnd(lost, error) {
        streams.delete(stream)
        if (closed) return
        if (error?.code === status.UNAUTHENTICATED) {
          isRefused = true
          log.error({ core: target }, wrongToken)
        } else
          log.warn({ core: target, lost, reason: error?.details ?? 'core ended the stream' }, 'connection to core lost')
        replace(stream)
      },
    })
    setTimeout(() => {
      if (stream === current) isRefused = false
    }, acceptedMs).unref()
    streams.add(stream)
    use(stream)
    // core is stopping, or the connection broke: requests already sent may still be answered
    client.getChannel().watchConnectivityState(connectivityState.READY, Infinity, () => {
      replace(stream)
      stream.finish()
    })
    log.info({ core: target }, 'connected to core')
  }

  function replace(stream: RelayStream): void {
    if (stream !== current) return
    use(undefined)
    setTimeout(connect, delayMs).unref()
    delayMs = Math.min(delayMs * 2, lastDelayMs)
  }

  connect()
  return {
    async trouble() {
      if (isRefused) return wrongToken
      return current === undefined ? 'core is not reached' : checkHealth(client, metadata)
    },
    leave() {
      closed = true
      use(undefined)
      for (const stream of streams) stream.finish()
      client.close()
    },
    close() {
      closed = true
      use(undefined)
      for (const stream of streams) stream.cancel()
      client.close()
    },
  }
}

function checkHealth(client: Client, metadata: Metadata): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { deadline: Date.now() + healthMs }
    const { requestSerialize, responseDeserialize } = check
    const request = create(HealthCheckRequestSchema)
    client.makeUnaryRequest(
      healthPath,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      options,
      (error, response) => {
        if (error) resolve(`the health check of core failed: ${status[error.code]}`)
        else if (response?.status === HealthCheckResponse_ServingStatus.SERVING) resolve(undefined)
        else resolve('core cannot reach its database')
      },
    )
  })
}
