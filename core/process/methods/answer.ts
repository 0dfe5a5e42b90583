import { isMessage, ScalarType, type DescField, type DescMessage, type DescMethod } from '@bufbuild/protobuf'
import type { MessageShape } from '@bufbuild/protobuf'

/**
 * What a handler answers: a message, or any object with the fields of one. Where the contract has 64 bits it may have a
 * number, of which a fraction is left out; null is as good as undefined. Other fields are left out.
 */
export type Answer<Method extends DescMethod> = Told<MessageShape<Method['output']>>

type Told<T> = T extends bigint
  ? bigint | number
  : T extends Uint8Array
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Told<Item>[]
      : T extends object
        ? { readonly [Name in Exclude<keyof T, '$typeName' | '$unknown'>]?: Told<T[Name]> | null | undefined }
        : T

/** The fields of a message as plain data, such as a row has them: a number where the contract has 64 bits. */
export type Fields<T> = T extends bigint
  ? number
  : T extends Uint8Array
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Fields<Item>[]
      : T extends object
        ? { readonly [Name in keyof T as Exclude<Name, '$typeName' | '$unknown'>]: Fields<T[Name]> }
        : T

type Values = Readonly<Record<string, unknown>>

/** The message, without what stands for its default. */
export function answerOf({ fields }: DescMessage, answer: unknown): object {
  if (isMessage(answer)) return answer
  const given = answer as Values
  const told: Record<string, unknown> = {}
  for (const field of fields) {
    const { localName, oneof } = field
    if (oneof) {
      const one = given[oneof.localName] as { readonly case?: string; readonly value?: unknown } | undefined
      if (one?.case === localName) told[oneof.localName] = { case: localName, value: valueOf(field, one.value) }
    } else if (given[localName] !== undefined && given[localName] !== null)
      told[localName] = valueOf(field, given[localName])
  }
  return told
}

function valueOf(field: DescField, value: unknown): unknown {
  if (field.fieldKind === 'list') return (value as readonly unknown[]).map((item) => itemOf(field, item))
  if (field.fieldKind !== 'map') return itemOf(field, value)
  return Object.fromEntries(Object.entries(value as Values).map(([key, item]) => [key, itemOf(field, item)]))
}

const wide = new Set<ScalarType | undefined>([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
])

const itemOf = ({ message, scalar }: DescField, item: unknown): unknown => {
  if (message) return answerOf(message, item)
  return wide.has(scalar) && typeof item === 'number' ? BigInt(Math.trunc(item)) : item
}
