import { once } from 'node:events'
import type { ServiceError } from '@grpc/grpc-js'
import { type Client, connectivityState, Metadata } from '@grpc/grpc-js'
import { create, fromBinary } from '@bufbuild/protobuf'
import type { StoreWithAttachmentsRequest, StoreWithAttachmentsResponse } from '../../gen/lrs/v1/attachments_pb.js'
import {
  AttachmentService,
  GetAttachmentRequestSchema,
  GetAttachmentResponseSchema,
  StoreWithAttachmentsRequestSchema,
  StoreWithAttachmentsResponseSchema,
} from '../../gen/lrs/v1/attachments_pb.js'
import { FailureSchema, Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal, refusalOf } from '../http/failure.ts'
import { codec, pathOf } from '../../shared/relay-codec.ts'
import { follow, type CoreAddress } from './addresses.ts'
import { clientOf, type CoreWay } from './core-way.ts'
import { createDownloadBudget } from '../load/download-budget.ts'
import type { Caller } from './caller.ts'
import { traceParent } from '../../shared/tracing/trace.ts'

/** Sends and fetches attachments on connections of its own, so that large ones do not delay other requests. */
export interface AttachmentClient {
  /**
   * Sends a request while it arrives and returns the ids of its statements. If `messages` throws, nothing is stored.
   * Throws an HttpRefusal as soon as core refuses.
   */
  store(messages: AsyncIterable<StoreWithAttachmentsRequest>, caller: Caller): Promise<string[]>
  /** The content of the attachment with this hash, in pieces. Throws an HttpRefusal. */
  fetch(sha2: string, caller: Caller): AsyncGenerator<Uint8Array>
  /** From now on these are the addresses of cores; requests under way to others are finished. */
  use(addresses: readonly CoreAddress[]): void
  close(): void
}

export interface AttachmentClientOptions {
  way: CoreWay
  serviceToken: string
  /** Milliseconds that core has to answer once it has the whole request. */
  timeoutMs: number
}

const storePath = pathOf(AttachmentService.typeName, 'StoreWithAttachments')
const getPath = pathOf(AttachmentService.typeName, 'GetAttachment')
const store = codec(StoreWithAttachmentsRequestSchema, StoreWithAttachmentsResponseSchema)
const get = codec(GetAttachmentRequestSchema, GetAttachmentResponseSchema)
/** Streams at a time, in each direction, to all cores together; core accepts 64 on a connection. */
const maxOpen = 32

const channelOptions = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
}

export function createAttachmentClient({ way, serviceToken, timeoutMs }: AttachmentClientOptions): AttachmentClient {
  const cores = new Map<string, Client>()
  let clients: readonly Client[] = []
  let storing = 0
  const fetching = createDownloadBudget({ max: maxOpen })
  let turn = 0

  /** The next core in turn; skips those that cannot be reached at the moment. */
  function nextClient(): Client {
    for (let tries = 0; tries < clients.length; tries++) {
      const client = clients[++turn % clients.length]!
      if (client.getChannel().getConnectivityState(true) !== connectivityState.TRANSIENT_FAILURE) return client
    }
    throw refusal(Reason.UNAVAILABLE, 'The store is not reachable at the moment; try again')
  }

  function metadataOf({ authorization, address, version, requestId }: Caller): Metadata {
    const metadata = new Metadata()
    metadata.set('x-lrs-gateway', `Bearer ${serviceToken}`)
    metadata.set('authorization', authorization)
    metadata.set('x-lrs-address', address)
    metadata.set('x-experience-api-version', version)
    metadata.set('x-request-id', requestId)
    const parent = traceParent()
    if (parent !== '') metadata.set('traceparent', parent)
    return metadata
  }

  return {
    async store(messages, caller) {
      const source = messages[Symbol.asyncIterator]()
      // a slot is taken only when the statements have arrived: slow senders do not use up the slots
      let next = await source.next()
      if (storing >= maxOpen)
        throw refusal(Reason.UNAVAILABLE, 'Too many requests with attachments at the moment; try again')
      const client = nextClient()
      storing++
      const { promise: answer, resolve, reject } = Promise.withResolvers<StoreWithAttachmentsResponse>()
      const stream = client.makeClientStreamRequest(
        storePath,
        store.requestSerialize,
        store.responseDeserialize,
        metadataOf(caller),
        (error, response) => (error ? reject(refusalFrom(error)) : resolve(response!)),
      )
      // the callback of the request gets the same error
      stream.on('error', () => {})
      try {
        while (!next.done) {
          if (!stream.write(next.value)) await Promise.race([once(stream, 'drain'), answer])
          // core may refuse while the client sends nothing
          const first = await Promise.race([source.next(), answer])
          if (!('done' in first)) break
          next = first
        }
        stream.end()
        return (await inTime(answer, timeoutMs)).ids
      } catch (error) {
        stream.cancel()
        throw error
      } finally {
        storing--
        void source.return?.().catch(() => undefined)
      }
    },

    async *fetch(sha2, caller) {
      const client = nextClient()
      const ended = new AbortController()
      const download = fetching.begin(1, () => ended.abort())
      const stream = client.makeServerStreamRequest(
        getPath,
        get.requestSerialize,
        get.responseDeserialize,
        create(GetAttachmentRequestSchema, { sha2 }),
        metadataOf(caller),
      )
      ended.signal.addEventListener('abort', () => stream.cancel())
      try {
        for await (const { content } of stream) {
          download.pieceSent()
          yield content as Uint8Array
          download.pieceTaken()
        }
      } catch (error) {
        throw refusalFrom(error as ServiceError)
      } finally {
        stream.cancel()
        download.done()
      }
    },

    use(addresses) {
      follow(
        cores,
        addresses,
        (address) => clientOf(address, way, channelOptions).client,
        (client) => client.close(),
      )
      clients = [...cores.values()]
    },

    close() {
      for (const client of clients) client.close()
    },
  }
}

/** The failure that core put into the trailer. Without one, the connection failed. */
function refusalFrom({ metadata }: ServiceError): Error {
  const [failure] = metadata?.get('lrs-failure-bin') ?? []
  if (failure instanceof Buffer) return refusalOf(fromBinary(FailureSchema, failure))
  return refusal(Reason.UNAVAILABLE, 'The connection to the store broke; try again')
}

async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(refusal(Reason.UNAVAILABLE, 'The store took too long to answer; try again')),
    ms,
  )
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
