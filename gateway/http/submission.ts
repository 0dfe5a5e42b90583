import type { MessageInitShape } from '@bufbuild/protobuf'
import { create } from '@bufbuild/protobuf'
import type { StoreWithAttachmentsRequest } from '../../gen/lrs/v1/attachments_pb.js'
import { StoreWithAttachmentsRequestSchema } from '../../gen/lrs/v1/attachments_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { sizes } from '../../shared/limits.ts'
import type { HeldBody } from './body.ts'
import { invalid, refusal } from './failure.ts'
import { checkJsonType } from './head.ts'
import type { PartHeaders, Piece } from './multipart.ts'

/** Bytes of attachment in one message; core accepts 1 MB. */
const maxContent = 256 * 1024
const sha2 = /^(?:[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i

/**
 * Turns the parts of a request into messages for core (xAPI 1.0.3 Communication 1.5.2): the statements of the first
 * part, then each attachment as it arrives. The statements count in `held`. Throws an HttpRefusal.
 */
export async function* submissionOf(
  pieces: AsyncIterable<Piece>,
  statementId: string,
  held: HeldBody,
): AsyncGenerator<StoreWithAttachmentsRequest> {
  const json: Buffer[] = []
  let size = 0
  let parts = 0
  let hasSeveral = false
  const statements = () => message({ case: 'statements', value: { json: Buffer.concat(json), statementId } })
  for await (const piece of pieces) {
    if ('headers' in piece) {
      parts++
      if (parts === 1) checkJsonType(piece.headers.get('content-type'), 'Content-Type of the first part')
      else {
        if (parts === 2) {
          yield statements()
          hasSeveral = namesSeveral(Buffer.concat(json))
        }
        const sha2 = hashOf(piece.headers)
        if (hasSeveral) piece.hasHash(sha2)
        yield message({ case: 'begin', value: { sha2 } })
      }
    } else if (parts > 1) {
      for (let at = 0; at < piece.bytes.length; at += maxContent)
        yield message({ case: 'content', value: piece.bytes.subarray(at, at + maxContent) })
    } else {
      size += piece.bytes.length
      held.take(piece.bytes.length)
      if (size > sizes.statementsBody) throw refusal(Reason.TOO_LARGE)
      json.push(piece.bytes)
    }
  }
  if (parts === 1) yield statements()
  yield message({ case: 'end', value: {} })
}

/** Whether there may be several attachments. Clients omit CRLF only between them, and hashing 1 MB takes 5 ms. */
const namesSeveral = (json: Buffer): boolean => json.indexOf('"sha2"') !== json.lastIndexOf('"sha2"')

/** The hash that a part declares. Without Content-Transfer-Encoding, binary is assumed, as xAPI requires. */
function hashOf(headers: PartHeaders): string {
  const encoding = headers.get('content-transfer-encoding') ?? 'binary'
  if (encoding.toLowerCase() !== 'binary')
    throw invalid('Content-Transfer-Encoding', 'must be binary in every part after the first')
  const hash = headers.get('x-experience-api-hash')
  if (hash === undefined)
    throw invalid(
      'X-Experience-API-Hash',
      'this header is missing; every part after the first must have the sha2 of its attachment',
    )
  if (!sha2.test(hash)) throw invalid('X-Experience-API-Hash', 'must be a SHA-2 hash in hexadecimal digits')
  return hash
}

function message(
  part: NonNullable<MessageInitShape<typeof StoreWithAttachmentsRequestSchema>['part']>,
): StoreWithAttachmentsRequest {
  return create(StoreWithAttachmentsRequestSchema, { part })
}
