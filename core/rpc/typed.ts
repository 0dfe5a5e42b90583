import { fromJson, toJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf'
import { StatementSchema, type Statement } from '../../gen/lrs/v1/xapi_pb.js'
import { parse } from '../xapi/parse.ts'
import { Problem } from '../xapi/problem.ts'
import { elements, members } from '../xapi/spans.ts'

/**
 * Protobuf decoders allow 100 nested messages. An extension is inside up to nine of them, and each of its levels takes
 * three more.
 */
const maxDepth = 25

/** JSON of typed statements: ProtoJSON of a typed message is xAPI JSON. @throws Problem when there is no such JSON */
export function jsonOf(statements: Statement[]): Buffer {
  try {
    return Buffer.from(JSON.stringify(statements.map((statement) => toJson(StatementSchema, statement))))
  } catch (error) {
    // an extension without a value, or with a number that JSON does not have
    throw new Problem('statements', `must have a JSON form: ${(error as Error).message}`)
  }
}

/**
 * The typed message of a stored statement. Values that Protobuf or its JSON cannot hold become the nearest one and set
 * `inexact`, so that no statement makes a page unreadable.
 */
export function typed(json: Buffer): Statement {
  const text = json.toString()
  const value = parse(text) as JsonObject
  const held = isHeld(value)
    ? value
    : { ...(nearest(text, text.indexOf('{'), text.length) as JsonObject), inexact: true }
  return fromJson(StatementSchema, held, { ignoreUnknownFields: true })
}

/** @param levels of objects and arrays that are left; undefined outside of extensions, where nesting is shallow */
function isHeld(value: JsonValue, levels?: number): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  return Object.entries(value).every(([key, member]) => {
    if (levels === undefined && key === 'extensions') return isHeld(member, maxDepth + 1)
    return key.isWellFormed() && isHeld(member, levels && levels - 1)
  })
}

/** ProtoJSON of text[start..end), valid JSON of a statement or of a part of one. */
function nearest(text: string, start: number, end: number): JsonValue {
  if (text[start] === '[') return elements(text, start).map((element) => nearest(text, element.start, element.end))
  if (text[start] !== '{') return within(parse(text.slice(start, end)) as JsonValue)
  return objectOf(
    members(text, start).flatMap(({ key, valueStart, valueEnd }) => {
      if (key !== 'extensions') return [[key.toWellFormed(), nearest(text, valueStart, valueEnd)]]
      const extensions = members(text, valueStart).map(
        (one) => [one.key.toWellFormed(), text.slice(one.valueStart, one.valueEnd)] as const,
      )
      const [deep, others] = [
        extensions.filter(([, json]) => isDeep(json)),
        extensions.filter(([, json]) => !isDeep(json)),
      ]
      return [
        [key, objectOf(others.map(([iri, json]) => [iri, within(parse(json) as JsonValue)]))],
        ['deepExtensions', objectOf(deep.map(([iri, json]) => [iri, Buffer.from(json).toString('base64')]))],
      ]
    }),
  )
}

/** Unlike an assignment, it makes `__proto__` an ordinary property. */
const objectOf = (entries: (readonly [string, JsonValue])[]): JsonObject => Object.fromEntries(entries)

function isDeep(json: string): boolean {
  const levels = (value: JsonValue, left: number): boolean =>
    typeof value === 'object' &&
    value !== null &&
    (left === 0 || Object.values(value).some((member) => levels(member, left - 1)))
  return levels(parse(json) as JsonValue, maxDepth)
}

/** U+FFFD for lone surrogates, the largest double for numbers beyond it. */
function within(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(within)
  return objectOf(Object.entries(value).map(([key, member]) => [key.toWellFormed(), within(member)]))
}
