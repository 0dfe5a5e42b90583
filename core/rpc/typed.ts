import { fromJson, toJson, type JsonValue } from '@bufbuild/protobuf'
import { StatementSchema, type Statement } from '../../gen/lrs/v1/xapi_pb.js'
import { Problem } from '../xapi/problem.ts'

/** Protobuf decoders give up at 100 messages in each other; a level of an extension takes up to three of them. */
const maxDepth = 30

/** JSON of typed statements: a typed message's ProtoJSON is xAPI JSON. @throws Problem when there is none */
export function jsonOf(statements: Statement[]): Buffer {
  try {
    return Buffer.from(JSON.stringify(statements.map((statement) => toJson(StatementSchema, statement))))
  } catch (error) {
    // an extension without a value, or with a number that JSON does not have
    throw new Problem('statements', `must have a JSON form: ${(error as Error).message}`)
  }
}

/** The typed message of a stored statement. What Protobuf cannot hold becomes what is nearest, so no statement blocks a reader. */
export function typed(json: Buffer): Statement {
  const options = { ignoreUnknownFields: true }
  const value = JSON.parse(json.toString()) as JsonValue
  try {
    if (!isDeep(value, maxDepth)) return fromJson(StatementSchema, value, options)
  } catch {
    // a lone surrogate, or a number beyond doubles
  }
  return fromJson(StatementSchema, nearest(value, maxDepth), options)
}

function isDeep(value: JsonValue, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((member) => isDeep(member, left - 1))
}

/** U+FFFD for lone surrogates, the largest double for numbers beyond it, JSON as a text for what is too deep. */
function nearest(value: JsonValue, left: number): JsonValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (value === Infinity || value === -Infinity) return Math.sign(value) * Number.MAX_VALUE
  if (typeof value !== 'object' || value === null) return value
  if (left === 0) return JSON.stringify(value)
  if (Array.isArray(value)) return value.map((element) => nearest(element, left - 1))
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), nearest(member, left - 1)]))
}
