import { fromJson, toJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf'
import { StatementSchema, type Statement } from '../../../gen/lrs/v1/xapi_pb.js'
import { parse } from '../xapi/json.ts'
import { Problem } from '../../process/problem.ts'
import { elements, members } from '../xapi/spans.ts'
import { say } from '../../../shared/say.ts'

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
    throw new Problem('statements', say`must have a JSON form: ${(error as Error).message}`)
  }
}

/**
 * The typed message of a stored statement. Values that Protobuf or its JSON cannot hold become the nearest one and set
 * `inexact`, so that no statement makes a page unreadable.
 */
export function typed(json: Uint8Array): Statement {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString()
  const value = parse(text) as JsonObject
  const held = isHeld(value) ? value : { ...(nearest(value, text, 0) as JsonObject), inexact: true }
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

/** ProtoJSON of a statement or of a part of one. @param start where the JSON of the value begins in the text */
function nearest(value: JsonValue, text: string, start: number): JsonValue {
  if (Array.isArray(value)) {
    const spans = elements(text, start)
    return value.map((element, n) => nearest(element, text, spans[n]!.start))
  }
  if (typeof value !== 'object' || value === null) return within(value)
  return objectOf(
    members(text, start).flatMap(({ key, valueStart }): (readonly [string, JsonValue])[] => {
      const member = value[key]!
      if (key !== 'extensions') return [[key.toWellFormed(), nearest(member, text, valueStart)]]
      const [deep, others]: [string, JsonValue][][] = [[], []]
      for (const { key: iri, valueStart: from, valueEnd: to } of members(text, valueStart)) {
        const extension = (member as JsonObject)[iri]!
        if (isDeep(extension)) deep!.push([iri.toWellFormed(), Buffer.from(text.slice(from, to)).toString('base64')])
        else others!.push([iri.toWellFormed(), within(extension)])
      }
      return [
        [key, objectOf(others!)],
        ['deepExtensions', objectOf(deep!)],
      ]
    }),
  )
}

/** Unlike an assignment, it makes `__proto__` an ordinary property. */
const objectOf = (entries: (readonly [string, JsonValue])[]): JsonObject => Object.fromEntries(entries)

const isDeep = (value: JsonValue, left = maxDepth): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((member) => isDeep(member, left - 1)))

/** U+FFFD for lone surrogates, the largest double for numbers beyond it. */
function within(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(within)
  return objectOf(Object.entries(value).map(([key, member]) => [key.toWellFormed(), within(member)]))
}
