import { toBinary } from '@bufbuild/protobuf'
import { StatementSchema } from '../../../gen/lrs/v1/xapi_pb.js'
import { formatter, type Form } from '../xapi/format.ts'
import type { Key } from '../xapi/identify.ts'
import { asObject, mergeDocuments } from '../xapi/merge.ts'
import { outlineOf } from '../xapi/outline.ts'
import { namesIn } from '../xapi/person.ts'
import { prepareStatements, type Preparation, type Prepared } from '../xapi/prepare.ts'
import { checkSignature, type Signed } from '../xapi/signature.ts'
import type { Rules } from '../xapi/dialect.ts'
import { typed } from './typed.ts'
import { withJson } from './untyped.ts'

/** Concatenated JSON texts. */
export interface Texts {
  readonly bytes: Uint8Array
  /** The length of each text. */
  readonly lengths: readonly number[]
}

/** The jobs of the worker thread: pure functions of values that can be copied between threads. */
export const jobs = {
  prepare: ({ json, how }: { json: Uint8Array; how: Preparation }): Prepared => prepareStatements(json, how),
  format: ({ texts, form }: { texts: Texts; form: Form }): Texts => each(texts, formatter(form)),
  /** Encoded messages. */
  typed: (texts: Texts): Texts => textsOf(listOf(texts).map((json) => toBinary(StatementSchema, typed(json)))),
  withJson,
  names: ({ texts, agent }: { texts: Texts; agent: Key }): string[] =>
    listOf(texts).flatMap((json) => namesIn(json.toString(), agent)),
  asObject,
  merge: ({ stored, posted }: { stored: Uint8Array; posted: Uint8Array }): Uint8Array => mergeDocuments(stored, posted),
  outline: (texts: Texts): Texts => each(texts, outlineOf),
  checkSignature: ({
    content,
    signed,
    rules,
  }: {
    content: Uint8Array
    signed: readonly Signed[]
    rules: Rules
  }): void => checkSignature(content, signed, rules),
}

export type Jobs = typeof jobs

export function textsOf(list: readonly Uint8Array[]): Texts {
  return { bytes: Buffer.concat(list), lengths: list.map(({ length }) => length) }
}

export function listOf({ bytes, lengths }: Texts): Buffer[] {
  let at = 0
  return lengths.map((length) => Buffer.from(bytes.buffer, bytes.byteOffset + (at += length) - length, length))
}

function each(texts: Texts, change: (json: string) => string): Texts {
  return textsOf(listOf(texts).map((json) => Buffer.from(change(json.toString()))))
}
