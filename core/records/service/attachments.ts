import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  AttachmentService,
  type GetAttachmentRequest,
  type GetAttachmentResponseSchema,
  type StoreWithAttachmentsRequest,
  type StoreWithAttachmentsResponseSchema,
} from '../../../gen/lrs/v1/attachments_pb.js'
import type { ContentPart, Received } from '../command/receive-attachments.ts'
import type { Core } from '../../context.ts'
import { storeStatements, type Submission } from '../command/store-statements.ts'
import type { Slots } from '../../process/concurrency/slots.ts'
import { openAttachment } from '../query/attachments.ts'
import { Refusal } from '../../process/refusal.ts'
import { Problem } from '../../process/problem.ts'
import { callOf, type Call } from '../../process/methods/call.ts'
import { service } from '../../process/methods/declaration.ts'
import { streamForGames } from '../calls/for-games.ts'
import type { Operation } from '../calls/operation.ts'
import { perform } from '../calls/perform.ts'
import { exported, traffic } from '../../process/methods/audit-entries.ts'
import { read } from './read-statements.ts'
import { actionOf, bucketOf, stored, submissionOf } from './store-statements.ts'

/** Milliseconds within which the next message of an upload must arrive. */
const patience = 30_000

/** The statements of an upload and what comes after them. */
export interface Upload {
  readonly submission: Submission
  readonly parts: AsyncIterable<ContentPart>
  /** Set when the contents begin to arrive. They come only once, even if the operation runs again. */
  received?: Promise<Received>
}

export const storeWithAttachments: Operation<Upload, MessageInitShape<typeof StoreWithAttachmentsResponseSchema>> = {
  method: AttachmentService.method.storeWithAttachments,
  action: ({ submission }) => actionOf(submission),
  scopes: () => ['statements/write'],
  counts: ({ submission: { statementId } }, caller) => bucketOf(statementId, caller),
  bypassesFairQueue: true,
  run: async (core, caller, upload) => {
    const receive: Submission['receive'] = (declared) =>
      (upload.received ??= core.attachments.receive(upload.parts, declared, caller))
    return { ids: await storeStatements(core, caller, { ...upload.submission, receive }) }
  },
  shown: { sent: ({ submission }) => submission.json, outcome: (_, { ids = [] }) => stored(ids) },
}

/** Not shown to the studio: it fetches a part of the answer to a query that is shown already. */
export const getAttachment: Operation<
  GetAttachmentRequest,
  AsyncIterable<MessageInitShape<typeof GetAttachmentResponseSchema>>
> = {
  method: AttachmentService.method.getAttachment,
  action: () => 'read statements',
  scopes: read,
  run: async (core, caller, { sha2 }) => {
    if (!/^(?:[0-9a-f]{2}){28,64}$/i.test(sha2)) throw new Problem('sha2', 'must be a SHA-2 hash in hexadecimal digits')
    return responsesOf(await openAttachment(core.store, caller, sha2), core.downloads, caller.game)
  },
}

export const attachmentService = service(AttachmentService, {
  storeWithAttachments: streamForGames(
    async (core, messages, context) => perform(core, storeWithAttachments, await openUpload(messages), callOf(context)),
    { audit: traffic },
  ),
  getAttachment: streamForGames((core, request, context) => contents(core, request, callOf(context)), {
    audit: exported,
  }),
})

/** A content, chunk by chunk. @throws Problem, Refusal */
export async function* contents(core: Core, request: GetAttachmentRequest, call: Call) {
  yield* await perform(core, getAttachment, request, call)
}

/** Messages are small because a stream buffers sixteen of them before the sender has to wait. */
const messageBytes = 64 * 1024

async function* responsesOf(content: AsyncIterable<Buffer>, slots: Slots, game: number) {
  const release = slots.take(game)
  try {
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length; at += messageBytes) yield { content: chunk.subarray(at, at + messageBytes) }
    }
  } finally {
    release()
  }
}

/** Reads the first message of an upload. The others are read after the statements are found valid. */
export async function openUpload(messages: AsyncIterable<StoreWithAttachmentsRequest>): Promise<Upload> {
  const source = messages[Symbol.asyncIterator]()
  const first = await inTime(source.next())
  if (first.done || first.value.part.case !== 'statements') throw new Problem('', 'must begin with the statements')
  return { submission: submissionOf(first.value.part.value), parts: partsOf(source) }
}

async function* partsOf(source: AsyncIterator<StoreWithAttachmentsRequest>): AsyncGenerator<ContentPart> {
  for (;;) {
    const next = await inTime(source.next())
    if (next.done) throw new Refusal('unavailable', 'The request was cut off; send it again.')
    const { part } = next.value
    if (part.case === 'end') return
    if (part.case === 'begin') yield { sha2: part.value.sha2 }
    else if (part.case === 'content') yield { bytes: part.value }
    else throw new Problem('', 'must go on with the contents of attachments')
  }
}

/** Error codes of Node for a body that was cut off, in HTTP/1.1 and in HTTP/2. */
const cuts = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']

/** Waits for the next message of a stream. @throws Refusal when it is late or its sender is gone */
export async function inTime<T>(next: Promise<T>, ms = patience): Promise<T> {
  try {
    return await within(ms, next)
  } catch (error) {
    throw cuts.includes((error as NodeJS.ErrnoException).code ?? '')
      ? new Refusal('unavailable', 'The request was cut off; send it again.')
      : error
  }
}

/** Waits for the next message of a stream. @throws Refusal when it is late, and Node's error when its sender is gone */
export async function within<T>(ms: number, next: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Refusal('unavailable', 'The request came too slowly; try again.')), ms)
  try {
    return await Promise.race([next, late])
  } finally {
    clearTimeout(timer)
  }
}
