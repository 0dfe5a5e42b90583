import type { DescMethod } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'
import {
  pipe,
  readAllBytes,
  transformDecompressEnvelope,
  transformJoinEnvelopes,
  transformSplitEnvelope,
  type Compression,
  type EnvelopedMessage,
  type UniversalServerRequest,
} from '@connectrpc/connect/protocol'
import { sizes } from '../../shared/limits.ts'
import { isKind, isPlain, type Kind } from '../records/worker/untyped.ts'
import type { HeavyWork } from '../records/worker/worker.ts'
import { isJson } from './json-messages.ts'

/** Core reads a message of this size at once. */
const smallBytes = 64 * 1024

interface Needs {
  readonly work: HeavyWork
  readonly readMaxBytes: number
  readonly compression: Compression
  readonly errorOf: (error: unknown) => ConnectError
}

/**
 * The request with JSON in place of the typed statements of its large messages: Connect would decode these on core's
 * thread, which takes up to a second for 4 MB. The worker thread does it before Connect reads them.
 * @param game whose turn on the worker thread it is
 */
export function withoutLargeTyped(
  request: UniversalServerRequest,
  { name }: DescMethod,
  game: number,
  { work, readMaxBytes, compression, errorOf }: Needs,
): UniversalServerRequest {
  const type = request.header.get('content-type') ?? ''
  if (!isKind(name) || request.method !== 'POST') return request
  const kind: Kind = name
  const light = async (bytes: Uint8Array): Promise<Uint8Array> => {
    const message = { kind, isJson: isJson(type), bytes }
    if (bytes.byteLength <= smallBytes || isPlain(message)) return bytes
    try {
      // a copy, because a message to the thread takes the whole buffer behind it
      const copy = { ...message, bytes: new Uint8Array(bytes), most: sizes.statementsPerRequest }
      return await work.run('withJson', game, copy)
    } catch (error) {
      throw errorOf(error)
    }
  }
  const body = request.body as AsyncIterable<Uint8Array>
  if (/^application\/(?:json|proto)/i.test(type)) {
    const encoding = request.header.get('content-encoding') ?? 'identity'
    if (encoding !== 'identity' && encoding !== compression.name) return request
    const header = new Headers(request.header)
    header.delete('content-encoding')
    header.delete('content-length')
    return { ...request, header, body: whole() }
    async function* whole(): AsyncGenerator<Uint8Array> {
      const bytes = await readAllBytes(body, readMaxBytes, request.header.get('content-length'))
      yield await light(encoding === 'identity' ? bytes : await compression.decompress(bytes, readMaxBytes))
    }
  }
  const encoding = request.header.get('grpc-encoding') ?? request.header.get('connect-content-encoding')
  async function* lightened(messages: AsyncIterable<EnvelopedMessage>): AsyncGenerator<EnvelopedMessage> {
    for await (const { flags, data } of messages) yield { flags, data: await light(data) }
  }
  return {
    ...request,
    body: pipe(
      body,
      transformSplitEnvelope(readMaxBytes),
      transformDecompressEnvelope(encoding === compression.name ? compression : null, readMaxBytes),
      lightened,
      transformJoinEnvelopes(),
    ),
  }
}
