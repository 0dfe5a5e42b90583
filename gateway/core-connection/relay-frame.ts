import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { RelayReply, RelayRequest } from '../../gen/lrs/v1/relay_pb.js'
import { ExchangeResponseSchema, RelayReplySchema, RelayRequestSchema } from '../../gen/lrs/v1/relay_pb.js'
import { StoreStatementsRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import type { Entry } from '../../shared/message-frame.ts'

/* Encodes requests and decodes replies of the relay by hand, because that takes less time: shared/message-frame.ts. */

/** Limits of one message on the stream. Core accepts 4 MiB, and no request is larger than 3 MiB. */
const maxRequests = 64
const maxBytes = 4_000_000

const {
  id: idField,
  authorization: authorizationField,
  address: addressField,
  version: versionField,
  requestId: requestIdField,
  traceParent: traceParentField,
} = RelayRequestSchema.field
const { json: jsonField, statementId: statementIdField } = StoreStatementsRequestSchema.field
const { id: replyIdField, holdsMs: holdsMsField, caller: callerField } = RelayReplySchema.field
const repliesNumber = ExchangeResponseSchema.field.replies.number

const calls = new Map(messagesOf(RelayRequestSchema).map((field) => [field.localName, field]))
const results = new Map(messagesOf(RelayReplySchema).map((field) => [field.number, field]))

const writer = new BinaryWriter()

export function pack(request: RelayRequest): Entry {
  const { call } = request
  const { number, message } = calls.get(call.case!)!
  writer.tag(idField.number, WireType.Varint).uint32(request.id)
  write(authorizationField, request.authorization)
  write(addressField, request.address)
  write(versionField, request.version)
  write(requestIdField, request.requestId)
  write(traceParentField, request.traceParent)
  writer.tag(number, WireType.LengthDelimited)
  if (call.case === 'storeStatements' && call.value.statements.length === 0 && !call.value.tooMany)
    return packStatements(call.value)
  const value = toBinary(message, call.value as Message)
  const head = writer.uint32(value.length).finish()
  return { size: head.length + value.length, parts: [head, value] }
}

/** Does not copy the bytes of the statements. */
function packStatements({ json, statementId }: { json: Uint8Array; statementId: string }): Entry {
  const envelope = writer.finish()
  write(statementIdField, statementId)
  const start = writer.tag(jsonField.number, WireType.LengthDelimited).uint32(json.length).finish()
  const length = writer.uint32(start.length + json.length).finish()
  return { size: envelope.length + length.length + start.length + json.length, parts: [envelope, length, start, json] }
}

function write({ number }: DescField, text: string): void {
  if (text !== '') writer.tag(number, WireType.LengthDelimited).string(text)
}

/** How many of the requests, from the first on, fit into the next message. */
export function countThatFit(waiting: readonly Entry[]): number {
  let bytes = 0
  let count = 0
  while (count < waiting.length && count < maxRequests) {
    bytes += waiting[count]!.size
    if (count > 0 && bytes > maxBytes) break
    count++
  }
  return count
}

/** The entries of an ExchangeResponse. Fields that this gateway does not know are skipped. */
export function repliesOf(bytes: Uint8Array): RelayReply[] {
  const replies: RelayReply[] = []
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    if (number === repliesNumber) replies.push(readReply(reader, reader.uint32() + reader.pos))
    else reader.skip(type, number)
  }
  return replies
}

function readReply(reader: BinaryReader, end: number): RelayReply {
  const reply: RelayReply = {
    $typeName: 'lrs.v1.RelayReply',
    id: 0,
    holdsMs: 0,
    caller: '',
    result: { case: undefined },
  }
  while (reader.pos < end) {
    const [number, type] = reader.tag()
    const field = results.get(number)
    if (number === replyIdField.number) reply.id = reader.uint32()
    else if (number === holdsMsField.number) reply.holdsMs = reader.uint32()
    else if (number === callerField.number) reply.caller = reader.string()
    else if (field !== undefined)
      reply.result = { case: field.localName, value: fromBinary(field.message, reader.bytes()) } as RelayReply['result']
    else reader.skip(type, number)
  }
  return reply
}

/** The fields of a message whose type is a message. */
function messagesOf({ fields }: DescMessage) {
  return fields.filter((field) => field.fieldKind === 'message')
}
