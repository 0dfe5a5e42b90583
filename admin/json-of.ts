import { ScalarType, toJson, type DescMessage, type JsonValue, type MessageShape } from '@bufbuild/protobuf'
import { timeOf } from './stored.ts'

/** Fields of the contract that are times, by what they count since 1970; json-of.test.ts compares them with it. */
const seconds = new Set([
  'agreed',
  'asked',
  'began',
  'betaLinked',
  'changed',
  'countedUntil',
  'created',
  'decided',
  'ended',
  'ends',
  'due',
  'expires',
  'final',
  'first',
  'graceUntil',
  'granted',
  'issued',
  'joined',
  'keptUntil',
  'last',
  'lastAttempt',
  'lastDelivered',
  'lastUsed',
  'linked',
  'nextAttempt',
  'oldSecretUntil',
  'raised',
  'resets',
  'revoked',
  'rotated',
  'sent',
  'start',
  'studioEnds',
  'submitted',
  'suspended',
  'upSince',
  'updated',
  'uploaded',
  'verified',
])
const microseconds = new Set([
  'begin',
  'consistentThrough',
  'end',
  'erased',
  'firstSeen',
  'lastSeen',
  'lastStored',
  'through',
  'written',
])

type Unit = 'seconds' | 'microseconds'

/** Fields whose names are those of other things elsewhere. */
const own: Readonly<Record<string, Unit | undefined>> = {
  'Forward.sent': undefined,
  'Forward.lastSent': 'seconds',
  'Forward.nextAttempt': 'seconds',
  'SetAside.stored': 'microseconds',
  'SetAside.at': 'seconds',
}

/** How a uint64 of this name counts time; undefined: it is no time. @param message that has the field */
export function unitOf(name: string, message = ''): Unit | undefined {
  const field = `${message}.${name}`
  if (field in own) return own[field]
  return seconds.has(name) ? 'seconds' : microseconds.has(name) ? 'microseconds' : undefined
}

/** A response for programs: fields as in the contract, times in RFC 3339 and UTC, null where there is none. */
export const jsonOf = <Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): JsonValue =>
  withTimes(schema, toJson(schema, message, { alwaysEmitImplicit: true }))

function withTimes(schema: DescMessage, json: JsonValue): JsonValue {
  const fields = new Map(schema.fields.map((field) => [field.jsonName, field]))
  const shown = ([name, value]: [string, JsonValue]): [string, JsonValue] => {
    const field = fields.get(name)!
    const unit = field.scalar === ScalarType.UINT64 ? unitOf(name, schema.name) : undefined
    if (unit !== undefined) return [name, time(BigInt(value as string) * (unit === 'seconds' ? 1_000_000n : 1n), unit)]
    const { message } = field
    if (!message || value === null) return [name, value]
    const one = (part: JsonValue) => withTimes(message, part)
    return [name, Array.isArray(value) ? value.map(one) : one(value)]
  }
  return Object.fromEntries(Object.entries(json as Record<string, JsonValue>).map(shown))
}

function time(micros: bigint, unit: Unit): string | null {
  if (micros === 0n) return null
  return unit === 'seconds' ? timeOf(micros).replace(/\.\d+/, '') : timeOf(micros)
}
