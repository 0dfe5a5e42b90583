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
} from '../../gen/lrs/v1/attachments_pb.js'
import { FailureSchema } from '../../gen/lrs/v1/failure_pb.js'
import { RelayService } from '../../gen/lrs/v1/relay_pb.js'
import type { Authentication, Core } from '../context.ts'
import { Refusal } from '../refusal.ts'
import { mayCall } from './access.ts'
import { contents, openUpload, storeWithAttachments } from './attachments.ts'
import { failureOf, toldOf } from './failure.ts'
import { codec, pathOf } from './grpc.ts'
import { perform, type CallContext } from './operation.ts'
import { timed } from './timed.ts'
import { begin } from '../../shared/tracing/trace.ts'

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
  const done = timed(core.meters, 'StoreWithAttachments', 'relay')
  try {
    const context = admit(core, stream.metadata)
    const upload = await openUpload(stream.iterator({ destroyOnReturn: false }))
    const parent = String(stream.metadata.get('traceparent')[0] ?? '')
    const response = await begin('storeWithAttachments', { kind: 'server', parent }, () =>
      perform(core, storeWithAttachments, upload, context),
    )
    done()
    reply(null, create(StoreWithAttachmentsResponseSchema, response))
  } catch (error) {
    done(toldOf(error).failure.reason)
    if (!stream.cancelled) reply(statusOf(core, error, stream, 'StoreWithAttachments'))
  }
}

async function give(core: Core, stream: DownloadStream): Promise<void> {
  const ended = new AbortController()
  stream.on('cancelled', () => ended.abort())
  const done = timed(core.meters, 'GetAttachment', 'relay')
  try {
    for await (const { content } of contents(core, stream.request, admit(core, stream.metadata))) {
      if (!stream.write(create(GetAttachmentResponseSchema, { content }))) await once(stream, 'drain', ended)
      if (stream.cancelled) return
    }
    done()
    stream.end()
  } catch (error) {
    done(toldOf(error).failure.reason)
    if (!stream.cancelled) stream.emit('error', statusOf(core, error, stream, 'GetAttachment'))
  }
}

/** Checks the gateway's token. Returns the game's own Authorization and version. @throws Refusal */
function admit({ services }: Authentication, metadata: Metadata): CallContext {
  const read = (name: string) => String(metadata.get(name)[0] ?? '')
  if (!mayCall(RelayService.method.exchange, services.roleOf(read('x-lrs-gateway')))) {
    throw new Refusal('unauthenticated', 'x-lrs-gateway must be the service token of a gateway.')
  }
  return { authorization: read('authorization'), version: read('x-experience-api-version') }
}

function statusOf(
  { log }: Core,
  error: unknown,
  { metadata }: { metadata: Metadata },
  method: string,
): ServerErrorResponse {
  const { failure, code } = failureOf(error, log, { request: metadata.get('x-request-id')[0]?.toString(), method })
  const trailer = new Metadata()
  trailer.set('lrs-failure-bin', Buffer.from(toBinary(FailureSchema, failure)))
  return Object.assign(new Error(failure.message), { code: Number(code), details: failure.message, metadata: trailer })
}
