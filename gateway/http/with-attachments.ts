import { randomUUID } from 'node:crypto'
import type { StoredAttachment } from '../../gen/lrs/v1/statements_pb.js'
import type { Answer } from './answer.ts'

/**
 * An answer in multipart/mixed (xAPI 1.0.3 Communication 1.5.2): the statements, then each attachment, which is read
 * when it is to be sent.
 */
export function withAttachments(
  content: readonly Uint8Array[],
  headers: readonly string[],
  attachments: readonly StoredAttachment[],
  read: (attachment: StoredAttachment) => AsyncIterable<Uint8Array>,
): Answer {
  const boundary = randomUUID()
  const first = Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n`)
  const heads = attachments.map(({ sha2, contentType }) =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Transfer-Encoding: binary\r\n` +
        `X-Experience-API-Hash: ${sha2}\r\n\r\n`,
    ),
  )
  const last = Buffer.from(`\r\n--${boundary}--\r\n`)
  const type = ['Content-Type', `multipart/mixed; boundary=${boundary}`, ...headers]
  if (attachments.length === 0) return { status: 200, headers: type, body: [first, ...content, last] }

  // nothing is sent before the first attachment arrives: until then a failure can still become a proper answer
  async function* all(): AsyncGenerator<Uint8Array> {
    let front = [first, ...content]
    for (const [index, attachment] of attachments.entries()) {
      front.push(heads[index]!)
      for await (const piece of read(attachment)) {
        yield* front
        front = []
        yield piece
      }
    }
    yield* front
    yield last
  }
  const held = content.reduce((sum, { length }) => sum + length, 0)
  let size = first.length + held + last.length
  for (const [index, attachment] of attachments.entries()) size += heads[index]!.length + Number(attachment.size)
  return { status: 200, headers: type, stream: all(), size, held }
}
