import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal, HttpRefusal } from './failure.ts'
import { strangerBytes, type HeldBody } from '../load/body-budget.ts'

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip) as Decoder,
  'x-gzip': promisify(gunzip) as Decoder,
  deflate: promisify(inflate) as Decoder,
  br: promisify(brotliDecompress) as Decoder,
}

/** What reading a body needs of its caller. */
export interface BodyReader {
  readonly body: HeldBody
  /** Core has accepted the caller, or the body may be a stranger's. Throws the HttpRefusal of one it does not accept. */
  expectAccepted(): Promise<void>
}

/** Whether the request announces a body. */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * Reads and decodes the body, at most `limit` bytes before and after decoding. A body that is large or compressed waits
 * until core has accepted its caller. Throws an HttpRefusal: 413, 415, 400 for a broken encoding, 503 when it arrives too
 * slowly or the budget is used up.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  reader: BodyReader,
): Promise<Buffer> {
  const { headers } = request
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && !Object.hasOwn(decoders, encoding)) throw unknownEncoding()
  if (Number(headers['content-length'] ?? 0) > limit) throw refusal(Reason.TOO_LARGE)
  if (encoding !== 'identity' || Number(headers['content-length'] ?? 0) > strangerBytes) await reader.expectAccepted()
  if (headers.expect !== undefined) response.writeContinue()
  const bytes = await collect(request, limit, reader)
  return encoding === 'identity' ? bytes : await decode(bytes, decoders[encoding]!, limit, reader.body)
}

function collect(request: IncomingMessage, limit: number, reader: BodyReader): Promise<Buffer> {
  const { body } = reader
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const fail = (error: Error): void => {
      request.off('data', take).off('end', finish).off('close', leave)
      request.pause()
      body.done()
      reject(error)
    }
    const take = (chunk: Buffer): void => {
      const isLarge = size <= strangerBytes && size + chunk.length > strangerBytes
      size += chunk.length
      chunks.push(chunk)
      try {
        body.take(chunk.length)
        if (size > limit) throw refusal(Reason.TOO_LARGE)
      } catch (error) {
        return fail(error as Error)
      }
      // one without a length shows only now that it is large
      if (!isLarge || request.complete) return
      request.pause()
      reader.expectAccepted().then(() => request.resume(), fail)
    }
    const finish = (): void => {
      body.arrived()
      request.off('close', leave)
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size))
    }
    const leave = (): void => fail(cutOff())
    body.onEnd = fail
    // it may have gone while core was asked
    if (request.destroyed) leave()
    else request.on('data', take).on('end', finish).on('close', leave)
  })
}

async function decode(bytes: Buffer, decoder: Decoder, limit: number, body: HeldBody): Promise<Buffer> {
  try {
    const decoded = await decoder(bytes, { maxOutputLength: limit })
    body.take(decoded.length)
    return decoded
  } catch (error) {
    if (error instanceof HttpRefusal) throw error
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw refusal(Reason.TOO_LARGE)
    throw new HttpRefusal(400, { message: 'The body is not valid in the encoding that Content-Encoding names' })
  } finally {
    body.drop(bytes.length)
  }
}

export function cutOff(): HttpRefusal {
  return new HttpRefusal(400, { message: 'The request ended before its body was complete' })
}

/** Throws an HttpRefusal: 415. */
export function expectNoEncoding({ headers }: IncomingMessage, where: string): void {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity') return
  const message = `Content-Encoding: must be omitted from ${where}`
  throw new HttpRefusal(415, { message, path: 'Content-Encoding' })
}

function unknownEncoding(): HttpRefusal {
  const message = 'Content-Encoding: must be gzip, deflate or br, or omitted'
  return new HttpRefusal(415, { message, path: 'Content-Encoding' }, ['Accept-Encoding', 'gzip, deflate, br'])
}
