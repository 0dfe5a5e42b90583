import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js'
import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { Logger } from 'pino'
import { HealthCheckRequestSchema, HealthCheckResponse_ServingStatus, HealthCheckResponseSchema } from '../gen/grpc/health/v1/health_pb.js'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import type { ExchangeResponse, RelayReply, RelayRequest } from '../gen/lrs/v1/relay_pb.js'
import { ExchangeResponseSchema, RelayRequestSchema } from '../gen/lrs/v1/relay_pb.js'
import { refusal } from './failure.ts'
import { fitting, frameOf } from './frame.ts'

export interface LinkOptions {
  /** http://host:port of core's relay, or https. */
  url: string
  serviceToken: string
  timeoutMs: number
  log: Logger
  /** Called whenever requests can be sent (again). */
  onUp(): void
}

/** The one stream to one core: opened again whenever it breaks. */
export interface Link {
  isUp(): boolean
  /** Sends a request and waits for its reply. Throws a Refusal: UNAVAILABLE when the stream breaks or time is up. */
  exchange(request: RelayRequest): Promise<RelayReply>
  /** Why core cannot serve, in words; undefined: it can. */
  trouble(): Promise<string | undefined>
  close(): void
}

interface Open {
  resolve(reply: RelayReply): void
  reject(error: Error): void
  deadline: number
}

const exchangePath = '/lrs.v1.RelayService/Exchange'
const healthPath = '/grpc.health.v1.Health/Check'
const healthMs = 1000
const sweepMs = 100
const firstDelayMs = 50
const lastDelayMs = 2000

const channelOptions = {
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
  'grpc-node.flow_control_window': 8 * 1024 * 1024,
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.initial_reconnect_backoff_ms': firstDelayMs,
  'grpc.max_reconnect_backoff_ms': lastDelayMs,
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
}

/** Connects to a core and stays connected until it is closed. */
export function createLink({ url, serviceToken, timeoutMs, log, onUp }: LinkOptions): Link {
  const { host, protocol } = new URL(url)
  const secure = protocol === 'https:'
  const target = host.includes(':', host.lastIndexOf(']') + 1) ? host : `${host}:${secure ? 443 : 80}`
  const client = new Client(target, secure ? credentials.createSsl() : credentials.createInsecure(), channelOptions)
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${serviceToken}`)

  const open = new Map<number, Open>()
  let waiting: Uint8Array[] = []
  let stream: ClientDuplexStream<Buffer, ExchangeResponse> | undefined
  let full = false
  let scheduled = false
  let lastId = 0
  let delayMs = firstDelayMs
  let closed = false
  const sweep = setInterval(expire, sweepMs).unref()

  function connect(): void {
    if (closed) return
    client.waitForReady(Date.now() + lastDelayMs, (error) => (error ? connect() : begin()))
  }

  function begin(): void {
    if (closed) return
    const begun = client.makeBidiStreamRequest(exchangePath, asIs, decode, metadata)
    begun.on('data', take)
    begun.on('drain', () => {
      full = false
      schedule()
    })
    begun.on('error', (error: ServiceError) => lose(begun, error))
    begun.on('end', () => lose(begun))
    stream = begun
    log.info({ core: target }, 'core is reached')
    onUp()
  }

  function lose(begun: typeof stream, error?: ServiceError): void {
    if (stream !== begun) return
    stream = undefined
    full = false
    waiting = []
    const lost = [...open.values()]
    open.clear()
    for (const one of lost) one.reject(refusal(Reason.UNAVAILABLE, 'The connection to the store broke; try again'))
    if (closed) return
    if (error?.code === status.UNAUTHENTICATED) log.error({ core: target }, 'core refuses LRS_SERVICE_TOKEN')
    else log.warn({ core: target, reason: error?.details ?? 'ended', open: lost.length }, 'core is lost')
    setTimeout(connect, delayMs).unref()
    delayMs = Math.min(delayMs * 2, lastDelayMs)
  }

  function take({ replies }: ExchangeResponse): void {
    delayMs = firstDelayMs
    for (const reply of replies) {
      const one = open.get(reply.id)
      if (one === undefined) continue
      open.delete(reply.id)
      one.resolve(reply)
    }
  }

  function expire(): void {
    const now = performance.now()
    // in the order in which they were sent, so in that of their deadlines
    for (const [id, one] of open) {
      if (one.deadline > now) return
      open.delete(id)
      one.reject(refusal(Reason.UNAVAILABLE, 'The store took too long to answer; try again'))
    }
  }

  function schedule(): void {
    if (scheduled || full || waiting.length === 0) return
    scheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    while (stream !== undefined && !full && waiting.length > 0) {
      const count = fitting(waiting)
      const requests = count === waiting.length ? waiting : waiting.slice(0, count)
      waiting = count === waiting.length ? [] : waiting.slice(count)
      full = !stream.write(frameOf(requests))
    }
  }

  function freeId(): number {
    do lastId = (lastId + 1) >>> 0
    while (open.has(lastId))
    return lastId
  }

  connect()
  return {
    isUp: () => stream !== undefined,
    exchange: (request) =>
      new Promise((resolve, reject) => {
        request.id = freeId()
        waiting.push(toBinary(RelayRequestSchema, request))
        open.set(request.id, { resolve, reject, deadline: performance.now() + timeoutMs })
        schedule()
      }),
    trouble: () =>
      new Promise((resolve) => {
        if (stream === undefined) return resolve('core is not reached')
        const options = { deadline: Date.now() + healthMs }
        client.makeUnaryRequest(healthPath, encodeCheck, decodeCheck, undefined, metadata, options, (error, response) => {
          if (error) resolve(`core does not tell its health: ${status[error.code]}`)
          else if (response?.status === HealthCheckResponse_ServingStatus.SERVING) resolve(undefined)
          else resolve('core is not serving: it does not reach its database')
        })
      }),
    close() {
      closed = true
      clearInterval(sweep)
      const last = stream
      lose(last)
      last?.cancel()
      client.close()
    },
  }
}

function asIs(frame: Buffer): Buffer {
  return frame
}

function decode(bytes: Buffer): ExchangeResponse {
  return fromBinary(ExchangeResponseSchema, bytes)
}

function encodeCheck(): Buffer {
  return Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema)))
}

function decodeCheck(bytes: Buffer) {
  return fromBinary(HealthCheckResponseSchema, bytes)
}
