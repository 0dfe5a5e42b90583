import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal, HttpRefusal } from './failure.ts'
import type { BodyBudget } from '../load/body-budget.ts'

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip) as Decoder,
  'x-gzip': promisify(gunzip) as Decoder,
  deflate: promisify(inflate) as Decoder,
  br: promisify(brotliDecompress) as Decoder,
}

/** Whether the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * Reads and decodes the body, at most `limit` bytes before and after decoding. Its length counts in `budget` until the
 * caller subtracts it. Throws an HttpRefusal: 413, 415, 400 for a broken encoding, 503 when the budget is used up.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  budget: BodyBudget,
): Promise<Buffer> {
  const { headers } = request
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && !Object.hasOwn(decoders, encoding)) throw unknownEncoding()
  if (Number(headers['content-length'] ?? 0) > limit) throw refusal(Reason.TOO_LARGE)
  if (headers.expect !== undefined) response.writeContinue()
  const bytes = await collect(request, limit, budget)
  return encoding === 'identity' ? bytes : await decode(bytes, decoders[encoding]!, limit, budget)
}

function collect(request: IncomingMessage, limit: number, budget: BodyBudget): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const fail = (error: Error): void => {
      request.off('data', take).off('end', finish).off('close', leave)
      request.pause()
      budget.held -= size
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      budget.held += chunk.length
      chunks.push(chunk)
      if (size > limit) fail(refusal(Reason.TOO_LARGE))
      else if (budget.held > budget.max) fail(refusal(Reason.UNAVAILABLE, 'Too many requests at the moment; try again'))
    }
    const finish = (): void => {
      request.off('close', leave)
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    }
    const leave = (): void => fail(cutOff())
    request.on('data', take).on('end', finish).on('close', leave)
  })
}

async function decode(bytes: Buffer, decoder: Decoder, limit: number, budget: BodyBudget): Promise<Buffer> {
  try {
    const decoded = await decoder(bytes, { maxOutputLength: limit })
    budget.held += decoded.length
    return decoded
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw refusal(Reason.TOO_LARGE)
    throw new HttpRefusal(400, { message: 'The body is not valid in the encoding that Content-Encoding names' })
  } finally {
    budget.held -= bytes.length
  }
}

export function cutOff(): HttpRefusal {
  return new HttpRefusal(400, { message: 'The request ended before its body was complete' })
}

function unknownEncoding(): HttpRefusal {
  const message = 'Content-Encoding: must be gzip, deflate or br, or omitted'
  return new HttpRefusal(415, { message, path: 'Content-Encoding' }, ['Accept-Encoding', 'gzip, deflate, br'])
}
