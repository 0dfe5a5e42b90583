import { hash } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { StoreWithAttachmentsRequestSchema } from '../../gen/lrs/v1/attachments_pb.js'
import type { Json } from './statements.ts'

export const sha256 = (content: Buffer | string) => hash('sha256', content, 'hex')

/** What a statement says about this content. */
export function attachment(content: Buffer | string, over: Record<string, unknown> = {}): Json {
  return {
    usageType: 'https://games.example.org/attachments/replay',
    display: { en: 'Replay' },
    contentType: 'application/octet-stream',
    length: Buffer.byteLength(content),
    sha2: sha256(content),
    ...over,
  }
}

export const signatureType = 'http://adlnet.gov/expapi/attachments/signature'

export interface Part {
  headers: Record<string, string>
  content: Buffer | string
}

export const jsonPart = (value: unknown): Part => ({
  headers: { 'Content-Type': 'application/json' },
  content: JSON.stringify(value),
})

export function contentPart(content: Buffer | string, over: Record<string, string | undefined> = {}): Part {
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Transfer-Encoding': 'binary',
    'X-Experience-API-Hash': sha256(content),
    ...over,
  }
  return {
    content,
    headers: Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  }
}

export const boundary = "boundary'()+_,-./:=?9"
export const multipartType = `multipart/mixed; boundary="${boundary}"`

/** A body of multipart/mixed. */
export function multipart(parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return [`--${boundary}\r\n${lines.join('')}\r\n`, content, '\r\n']
  })
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece as string)))
}

/** The parts of an answer. */
export function partsOf(
  contentType: string | null,
  body: Buffer,
): { headers: Record<string, string>; content: Buffer }[] {
  const [, mark] = /^multipart\/mixed; boundary="?([^"]+)"?$/.exec(contentType ?? '') ?? []
  if (mark === undefined) throw new Error(`no multipart/mixed: ${contentType}`)
  const pieces = `\r\n${body.toString('latin1')}`.split(`\r\n--${mark}`)
  if (pieces.shift() !== '' || !/^--\r\n$/.test(pieces.pop() ?? '')) throw new Error('no clean multipart body')
  return pieces.map((piece) => {
    const end = piece.indexOf('\r\n\r\n')
    const headers = piece
      .slice(2, end)
      .split('\r\n')
      .map((line) => line.split(/: ?(.*)/s))
    return {
      headers: Object.fromEntries(headers.map(([name, value]) => [name!.toLowerCase(), value!])),
      content: Buffer.from(piece.slice(end + 4), 'latin1'),
    }
  })
}

/** The messages of an upload over RPC; `sha2` is what is said, not what the content has. */
export async function* upload(
  statements: unknown,
  contents: readonly { sha2: string; content: Buffer }[],
  piece = 64 * 1024,
): AsyncGenerator<MessageInitShape<typeof StoreWithAttachmentsRequestSchema>> {
  yield { part: { case: 'statements', value: { json: Buffer.from(JSON.stringify(statements)) } } }
  for (const { sha2, content } of contents) {
    yield { part: { case: 'begin', value: { sha2 } } }
    for (let at = 0; at < content.length; at += piece)
      yield { part: { case: 'content', value: content.subarray(at, at + piece) } }
  }
  yield { part: { case: 'end', value: {} } }
}
