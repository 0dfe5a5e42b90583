import { once } from 'node:events'
import { create, toBinary } from '@bufbuild/protobuf'
import {
  Metadata,
  type sendUnaryData,
  type Server,
  type ServerErrorResponse,
  type ServerReadableStream,
  type ServerWritableStream,
} from '@grpc/grpc-js'
import {
  AttachmentService,
  GetAttachmentRequestSchema,
  GetAttachmentResponseSchema,
  StoreWithAttachmentsRequestSchema,
  StoreWithAttachmentsResponseSchema,
  type GetAttachmentRequest,
  type GetAttachmentResponse,
  type StoreWithAttachmentsRequest,
  type StoreWithAttachmentsResponse,
} from '../../../gen/lrs/v1/attachments_pb.js'
import { FailureSchema } from '../../../gen/lrs/v1/failure_pb.js'
import type { Authentication, Core } from '../../context.ts'
import { Refusal } from '../../process/refusal.ts'
import { mayCall } from '../admit.ts'
import { contents, openUpload, storeWithAttachments } from '../../records/service/attachments.ts'
import { nameOf, type Call } from '../../process/methods/call.ts'
import { ended, perform } from '../../records/calls/perform.ts'
import { failureOf, toldOf } from '../../process/methods/failure.ts'
import { codec, pathOf } from '../../../shared/relay-codec.ts'
import { begin } from '../../../shared/tracing/trace.ts'

type UploadStream = ServerReadableStream<StoreWithAttachmentsRequest, StoreWithAttachmentsResponse>
type DownloadStream = ServerWritableStream<GetAttachmentRequest, GetAttachmentResponse>

/** Serves the contents of attachments on the relay's port, each in a stream of its own. */
export function addAttachments(server: Server, core: Core): void {
  server.addService(
    {
      store: {
        path: pathOf(AttachmentService.typeName, 'StoreWithAttachments'),
        requestStream: true,
        responseStream: false,
        ...codec(StoreWithAttachmentsRequestSchema, StoreWithAttachmentsResponseSchema),
      },
      get: {
        path: pathOf(AttachmentService.typeName, 'GetAttachment'),
        requestStream: false,
        responseStream: true,
        ...codec(GetAttachmentRequestSchema, GetAttachmentResponseSchema),
      },
    },
    {
      store: (stream: UploadStream, reply: sendUnaryData<StoreWithAttachmentsResponse>) =>
        void take(core, stream, reply),
      get: (stream: DownloadStream) => void give(core, stream),
    },
  )
}

async function take(
  core: Core,
  stream: UploadStream,
  reply: sendUnaryData<StoreWithAttachmentsResponse>,
): Promise<void> {
  stream.once('cancelled', () => stream.destroy())
  const call = callOf('StoreWithAttachments', stream.metadata)
  try {
    admit(core, stream.metadata)
    const upload = await openUpload(stream.iterator({ destroyOnReturn: false }))
    const parent = read(stream.metadata, 'traceparent')
    const response = await begin('storeWithAttachments', { kind: 'server', parent }, () =>
      perform(core, storeWithAttachments, upload, call),
    )
    ended(core, call, { response })
    reply(null, create(StoreWithAttachmentsResponseSchema, response))
  } catch (error) {
    const told = refuse(core, call, error, stream.cancelled)
    if (!stream.cancelled) reply(told)
  }
}

async function give(core: Core, stream: DownloadStream): Promise<void> {
  const gone = new AbortController()
  stream.on('cancelled', () => gone.abort())
  const call = callOf('GetAttachment', stream.metadata)
  try {
    admit(core, stream.metadata)
    for await (const { content } of contents(core, stream.request, call)) {
      if (!stream.write(create(GetAttachmentResponseSchema, { content }))) await once(stream, 'drain', gone)
      gone.signal.throwIfAborted()
    }
    ended(core, call, {})
    stream.end()
  } catch (error) {
    const told = refuse(core, call, error, stream.cancelled)
    if (!stream.cancelled) stream.emit('error', told)
  }
}

const read = (metadata: Metadata, name: string): string => String(metadata.get(name)[0] ?? '')

/** A call with the game's own Authorization and version. */
const callOf = (method: string, metadata: Metadata): Call => ({
  method,
  way: 'relay',
  began: performance.now(),
  requestId: read(metadata, 'x-request-id'),
  authorization: read(metadata, 'authorization'),
  address: read(metadata, 'x-lrs-address') || undefined,
  version: read(metadata, 'x-experience-api-version'),
})

/** Checks the gateway's token. @throws Refusal */
function admit({ services }: Authentication, metadata: Metadata): void {
  if (!mayCall(['gateway'], services.roleOf(read(metadata, 'x-lrs-gateway'))))
    throw new Refusal('unauthenticated', 'x-lrs-gateway must be the service token of a gateway.')
}

/** The error for the gateway. If the gateway has gone, the error is not logged. */
function refuse(core: Core, call: Call, error: unknown, isGone: boolean): ServerErrorResponse {
  const { failure, code } = isGone ? toldOf(error) : failureOf(error, core.log, nameOf(call))
  ended(core, call, { error, failure: isGone ? undefined : failure })
  const trailer = new Metadata()
  trailer.set('lrs-failure-bin', Buffer.from(toBinary(FailureSchema, failure)))
  return Object.assign(new Error(failure.message), { code: Number(code), details: failure.message, metadata: trailer })
}
