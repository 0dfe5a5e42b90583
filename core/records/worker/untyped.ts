import { create, fromBinary, fromJson, toBinary, toJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { StoreWithAttachmentsRequestSchema } from '../../../gen/lrs/v1/attachments_pb.js'
import {
  StoreStatementsRequestSchema,
  StoreStatementsStreamRequestSchema,
  type StoreStatementsRequest,
  type StoreStatementsStreamRequest,
} from '../../../gen/lrs/v1/statements_pb.js'
import { StatementSchema } from '../../../gen/lrs/v1/xapi_pb.js'
import { parseJson } from '../xapi/json.ts'
import { Problem } from '../../process/problem.ts'
import { jsonOf } from './typed.ts'
import { ours, say } from '../../../shared/say.ts'

/** The messages that may have typed statements: in this field, or in the message in this field. */
const kinds = {
  StoreStatements: { schema: StoreStatementsRequestSchema, field: 2 },
  StoreStatementsStream: { schema: StoreStatementsStreamRequestSchema, field: 3 },
  StoreWithAttachments: { schema: StoreWithAttachmentsRequestSchema, field: 1 },
} as const

export type Kind = keyof typeof kinds
export const isKind = (method: string): method is Kind => Object.hasOwn(kinds, method)

export interface Encoded {
  readonly kind: Kind
  /** JSON, or else Protobuf. */
  readonly isJson: boolean
  readonly bytes: Uint8Array
  /** Most statements of a request. */
  readonly most: number
}

/** Fields that are looked at before a message counts as one that may have typed statements. */
const looks = 16

/** Whether a message has no typed statements for sure. It looks at a few fields only. */
export function isPlain({ kind, isJson, bytes }: Omit<Encoded, 'most'>): boolean {
  if (isJson)
    return !['"statements"', '\\'].some((text) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(text),
    )
  const reader = new BinaryReader(bytes)
  try {
    for (let n = 0; n < looks && reader.pos < reader.len; n++) {
      const [no, type] = reader.tag()
      if (no !== kinds[kind].field) reader.skip(type, no)
      else if (kind !== 'StoreWithAttachments' || !isPlain({ kind: 'StoreStatements', isJson, bytes: reader.bytes() }))
        return false
    }
  } catch {
    // Connect says what is wrong with it
    return true
  }
  return reader.pos >= reader.len
}

/**
 * The message with JSON in place of its typed statements. In place of more than `most` it has one empty statement more
 * than that: it is refused, and to decode millions would take seconds.
 * @throws Problem when it is no such message
 */
export function withJson({ kind, isJson, bytes, most }: Encoded): Uint8Array {
  const { schema, field } = kinds[kind]
  try {
    if (isJson) {
      const message = fromJson(schema, bounded(kind, parseJson(bytes).value as JsonValue, most))
      if ('part' in message) {
        if (message.part.case === 'statements') replace(message.part.value)
      } else replace(message)
      return Buffer.from(JSON.stringify(toJson(schema, message)))
    }
    if (kind === 'StoreWithAttachments') {
      // several parts of one message are read as one
      const value = Buffer.concat(fieldsOf(bytes, (no) => no === field, true))
      const statements = withJson({ kind: 'StoreStatements', isJson, bytes: value, most })
      const part = { case: 'statements', value: fromBinary(StoreStatementsRequestSchema, statements) } as const
      return toBinary(StoreWithAttachmentsRequestSchema, create(StoreWithAttachmentsRequestSchema, { part }))
    }
    const enough = placeAfter(bytes, field, most)
    const isMany = enough !== undefined
    const read = isMany ? Buffer.concat(fieldsOf(bytes.subarray(0, enough), (no) => no !== field)) : bytes
    const message = fromBinary(kinds[kind].schema, read, { readUnknownFields: false })
    if (isMany) message.statements = Array.from({ length: most + 1 }, () => create(StatementSchema))
    else replace(message)
    return toBinary(schema, message)
  } catch (error) {
    throw new Problem('', say`is not a ${ours(schema.typeName)}: ${(error as Error).message}`)
  }
}

function replace(message: StoreStatementsRequest | StoreStatementsStreamRequest): void {
  const { statements, json } = message
  if (statements.length === 0 || json.byteLength > 0) return
  try {
    message.json = jsonOf(statements)
    message.statements = []
  } catch {
    // one that is refused for the same reason
    message.statements = [create(StatementSchema, { result: { extensions: { 'x:y': create(ValueSchema) } } })]
  }
}

function bounded(kind: Kind, value: JsonValue, most: number): JsonValue {
  const inner = kind === 'StoreWithAttachments' ? (value as JsonObject)['statements'] : value
  const { statements } = (inner ?? {}) as JsonObject
  if (Array.isArray(statements) && statements.length > most) {
    statements.length = most + 1
    statements.forEach((_, n) => (statements[n] = {}))
  }
  return value
}

/** The offset after field `most` + 1 with this number; undefined: there are at most `most`. */
function placeAfter(bytes: Uint8Array, field: number, most: number): number | undefined {
  const reader = new BinaryReader(bytes)
  for (let count = 0; reader.pos < reader.len;) {
    const [no, type] = reader.tag()
    reader.skip(type, no)
    if (no === field && ++count > most) return reader.pos
  }
  return undefined
}

/** The fields with these numbers, or what is in them. */
function fieldsOf(bytes: Uint8Array, isWanted: (no: number) => boolean, inside = false): Uint8Array[] {
  const reader = new BinaryReader(bytes)
  const found: Uint8Array[] = []
  while (reader.pos < reader.len) {
    const start = reader.pos
    const [no, type] = reader.tag()
    if (inside && isWanted(no)) found.push(reader.bytes())
    else {
      reader.skip(type, no)
      if (isWanted(no)) found.push(bytes.subarray(start, reader.pos))
    }
  }
  return found
}
