import { create, toBinary } from '@bufbuild/protobuf'
import { RelayReplySchema, type RelayReply } from '../../gen/lrs/v1/relay_pb.js'
import { QueryStatementsResponseSchema } from '../../gen/lrs/v1/statements_pb.js'

/** Tags of length-delimited fields: ExchangeResponse.replies, RelayReply.query_statements, QueryStatementsResponse.json_run. */
const tags = { replies: 0x0a, queryStatements: 0x3a, jsonRun: 0x32 }
const none = new Uint8Array()

/** A reply in two pieces, of which the second one, the bytes of a page, is not copied before it is put in its place. */
interface Piece {
  readonly head: Uint8Array
  readonly run: Uint8Array
}

/** What grpc-js needs of a message: it copies it once, behind five bytes of its own. */
export interface Frame {
  readonly byteLength: number
  copy(target: Buffer, at: number): void
}

/** The bytes of an ExchangeResponse: as toBinary() makes them, but a page is copied once and not at each level. */
export function responseOf(replies: readonly RelayReply[]): Frame {
  const pieces = replies.map(pieceOf)
  return {
    byteLength: pieces.reduce((sum, { head, run }) => sum + fieldSize(head.length + run.length), 0),
    copy(target, start) {
      let at = start
      for (const { head, run } of pieces) {
        at = startField(target, at, tags.replies, head.length + run.length)
        target.set(head, at)
        target.set(run, at + head.length)
        at += head.length + run.length
      }
    },
  }
}

function pieceOf(reply: RelayReply): Piece {
  const { id, result } = reply
  if (result.case !== 'queryStatements' || result.value.jsonRun.length === 0)
    return { head: toBinary(RelayReplySchema, reply), run: none }
  const run = result.value.jsonRun
  const start = toBinary(RelayReplySchema, create(RelayReplySchema, { id }))
  const rest = toBinary(QueryStatementsResponseSchema, { ...result.value, jsonRun: none })
  const length = rest.length + fieldSize(run.length)
  const head = Buffer.allocUnsafe(start.length + fieldSize(length) - run.length)
  head.set(start)
  const at = startField(head, start.length, tags.queryStatements, length)
  head.set(rest, at)
  startField(head, at + rest.length, tags.jsonRun, run.length)
  return { head, run }
}

/** Bytes that a length-delimited field takes whose tag is one byte. */
function fieldSize(length: number): number {
  let size = 2 + length
  for (let rest = length; rest > 0x7f; rest >>>= 7) size++
  return size
}

/** Writes tag and length, and answers where the content goes. */
function startField(into: Buffer, from: number, tag: number, length: number): number {
  let at = from
  into[at++] = tag
  let rest = length
  for (; rest > 0x7f; rest >>>= 7) into[at++] = (rest & 0x7f) | 0x80
  into[at++] = rest
  return at
}
