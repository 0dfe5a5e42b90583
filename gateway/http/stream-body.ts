import type { IncomingMessage, ServerResponse } from 'node:http'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { cutOff, expectNoEncoding, type HeldBody } from './body.ts'
import { refusal, HttpRefusal } from './failure.ts'

/**
 * The body in pieces as it arrives: at most `limit` bytes, without Content-Encoding. If the caller stops, the rest
 * stays unread. Throws an HttpRefusal: 413, 415, 400 when the request is cut off.
 */
export async function* streamBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  held: HeldBody,
): AsyncGenerator<Buffer> {
  const { headers } = request
  expectNoEncoding(request, 'a request with attachments')
  if (Number(headers['content-length'] ?? 0) > limit) throw refusal(Reason.TOO_LARGE)
  if (headers.expect !== undefined) response.writeContinue()
  let size = 0
  const { promise: ended, reject } = Promise.withResolvers<never>()
  ended.catch(() => {})
  held.onEnd = reject
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  try {
    for (;;) {
      const { done, value: chunk } = await Promise.race([chunks.next(), ended])
      if (done) break
      size += chunk.length
      held.pass(chunk.length)
      if (size > limit) throw refusal(Reason.TOO_LARGE)
      yield chunk
    }
    held.arrived()
  } catch (error) {
    if (error instanceof HttpRefusal) throw error
    throw cutOff()
  }
}
