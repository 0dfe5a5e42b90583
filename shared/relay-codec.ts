import {
  fromBinary,
  toBinary,
  type DescField,
  type DescMessage,
  type Message,
  type MessageShape,
} from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import {
  ExchangeResponseSchema,
  RelayReplySchema,
  RelayRequestSchema,
  type RelayReply,
  type RelayRequest,
} from '../gen/lrs/v1/relay_pb.js'
import { QueryStatementsResponseSchema, StoreStatementsRequestSchema } from '../gen/lrs/v1/statements_pb.js'

/*
 * Messages between gateway and core. Those of the relay are made by hand: the library would copy the bytes of a body or
 * a page once more at each level of a message, and that took most of the time of a call.
 */

/** An encoded entry of a message: the concatenation of its parts. */
export interface Entry {
  readonly size: number
  readonly parts: readonly Uint8Array[]
}

/** The part of a Buffer that grpc-js uses of a message: it copies the bytes once, behind a header of five bytes. */
export interface MessageFrame {
  readonly length: number
  readonly byteLength: number
  copy(target: Buffer, at: number): void
}

type Head = Omit<RelayRequest, '$typeName' | '$unknown' | 'id' | 'call'>

const request = RelayRequestSchema.field
const heads = [request.authorization, request.address, request.version, request.requestId, request.traceParent]
const calls = new Map(messagesOf(RelayRequestSchema).map((field) => [field.localName, field]))
const { json, statementId } = StoreStatementsRequestSchema.field
const { id, holdsMs, caller } = RelayReplySchema.field
const results = new Map(messagesOf(RelayReplySchema).map((field) => [field.number, field]))
const { jsonRun } = QueryStatementsResponseSchema.field
const repliesNumber = ExchangeResponseSchema.field.replies.number
/** Tag of field 1, length-delimited: the only field of ExchangeRequest and of ExchangeResponse. */
const entryTag = 0x0a
const none = new Uint8Array()
const writer = new BinaryWriter()

/** A message whose field 1 has these entries. */
export function messageFrame(entries: readonly Entry[]): MessageFrame {
  const length = entries.reduce((sum, { size }) => sum + fieldSize(size), 0)
  return {
    length,
    byteLength: length,
    copy(target, start) {
      let at = start
      for (const { size, parts } of entries) {
        target[at++] = entryTag
        let rest = size
        for (; rest > 0x7f; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80
        target[at++] = rest
        for (const part of parts) {
          target.set(part, at)
          at += part.length
        }
      }
    },
  }
}

/** An entry of an ExchangeRequest. */
export function requestOf(number: number, head: Head, call: RelayRequest['call']): Entry {
  const isPlain = call.case === 'storeStatements' && call.value.statements.length === 0 && !call.value.tooMany
  const start = isPlain ? write(statementId, call.value.statementId).finish() : none
  writer.tag(request.id.number, WireType.Varint).uint32(number)
  for (const field of heads) write(field, head[field.localName as keyof Head])
  const field = calls.get(call.case!)!
  if (isPlain) return entryOf(field, call.value.json, start, json)
  return entryOf(field, toBinary(field.message, call.value as Message))
}

/** The bytes of an ExchangeResponse, as toBinary() makes them. A page is copied once, not once at each level. */
export const responseOf = ({ replies }: { readonly replies: readonly RelayReply[] }): MessageFrame =>
  messageFrame(replies.map(replyEntry))

function replyEntry(reply: RelayReply): Entry {
  const { result } = reply
  if (result.case !== 'queryStatements' || result.value.jsonRun.length === 0) {
    const whole = toBinary(RelayReplySchema, reply)
    return { size: whole.length, parts: [whole] }
  }
  const start = toBinary(QueryStatementsResponseSchema, { ...result.value, jsonRun: none })
  if (reply.id !== 0) writer.tag(id.number, WireType.Varint).uint32(reply.id)
  write(caller, reply.caller)
  return entryOf(RelayReplySchema.field.queryStatements, result.value.jsonRun, start, jsonRun)
}

/** Ends the entry with a message, which is not copied: its bytes, or its `start` and then those of its field `last`. */
function entryOf(field: DescField, bytes: Uint8Array, start = none, last?: DescField): Entry {
  const length = start.length + (last ? fieldSize(bytes.length) : bytes.length)
  writer.tag(field.number, WireType.LengthDelimited).uint32(length).raw(start)
  if (last) writer.tag(last.number, WireType.LengthDelimited).uint32(bytes.length)
  const head = writer.finish()
  return { size: head.length + bytes.length, parts: [head, bytes] }
}

function write({ number }: DescField, text: string): BinaryWriter {
  return text === '' ? writer : writer.tag(number, WireType.LengthDelimited).string(text)
}

/** Bytes of a length-delimited field whose tag is one byte. */
function fieldSize(length: number): number {
  let size = 2 + length
  for (let rest = length; rest > 0x7f; rest >>>= 7) size++
  return size
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
    if (field !== undefined)
      reply.result = { case: field.localName, value: fromBinary(field.message, reader.bytes()) } as RelayReply['result']
    else if (number === id.number) reply.id = reader.uint32()
    else if (number === holdsMs.number) reply.holdsMs = reader.uint32()
    else if (number === caller.number) reply.caller = reader.string()
    else reader.skip(type, number)
  }
  return reply
}

/** The fields of a message whose type is a message. */
function messagesOf({ fields }: DescMessage) {
  return fields.filter((field) => field.fieldKind === 'message')
}

/** How grpc-js reads and writes the messages of a method. */
export function codec<Request extends DescMessage, Response extends DescMessage>(request: Request, response: Response) {
  return {
    requestSerialize: (message: MessageShape<Request>) => bufferOf(toBinary(request, message)),
    requestDeserialize: (bytes: Buffer) => fromBinary(request, bytes),
    responseSerialize: (message: MessageShape<Response>) => bufferOf(toBinary(response, message)),
    responseDeserialize: (bytes: Buffer) => fromBinary(response, bytes),
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Path of a method in grpc-js. */
export const pathOf = (service: string, method: string): string => `/${service}/${method}`
