import { createReadStream, existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ImportStatementsRequestSchema, ImportStatementsResponse } from '../gen/lrs/v1/admin_pb.js'
import { Reason } from '../gen/lrs/v1/failure_pb.js'
import { again } from './again.ts'
import { fileOf } from './contents.ts'
import type { CoreClient } from './core-client.ts'
import { failureIn } from './failure.ts'
import { isJson } from './json-spans.ts'
import type { Session } from './session.ts'
import { actingFor } from './which-key.ts'

/** Statements that are stored together. */
export interface Batch {
  readonly statements: readonly Uint8Array[]
  /** How many came before them. */
  readonly before: number
  /** Where the contents of their attachments are, named by their hash. */
  readonly contents?: string
}

export interface Totals {
  stored: number
  skipped: number
  rejected: number
  conflicts: number
  conflictIds: string[]
}

/** A statement that core refuses. */
export interface Refused {
  readonly statement: Uint8Array
  /** Its number in the input, from 1. */
  readonly place: number
  /** Where in the statement; undefined: it is no JSON. */
  readonly path?: string
  readonly why: string
}

export const nothingYet = (): Totals => ({ stored: 0, skipped: 0, rejected: 0, conflicts: 0, conflictIds: [] })

/** What one batch may hold; core takes a little more. */
const most = { statements: 500, bytes: 2_500_000, contents: 16 * 1024 * 1024 }
const pieceBytes = 256 * 1024
const timeoutMs = 120_000

/**
 * Puts statements into batches, as many as one call may carry.
 * @param before how many came before them
 */
export async function* batchesOf(
  statements: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  before: number,
  contents?: string,
): AsyncGenerator<Batch> {
  let gathered: Uint8Array[] = []
  let [bytes, attached] = [0, 0]
  for await (const statement of statements) {
    const size = contents === undefined ? 0 : await sizeOf(contentsOf(statement, contents))
    const isFull =
      gathered.length === most.statements ||
      bytes + statement.length > most.bytes ||
      (attached > 0 && attached + size > most.contents)
    if (isFull && gathered.length > 0) {
      yield { statements: gathered, before, contents }
      before += gathered.length
      ;[gathered, bytes, attached] = [[], 0, 0]
    }
    gathered.push(statement)
    bytes += statement.length + 1
    attached += size
  }
  if (gathered.length > 0) yield { statements: gathered, before, contents }
}

/**
 * Stores a batch and adds to the totals; what is stored already is skipped, so it may be sent again after a cut.
 * @param refuse takes statements that core refuses, or ends the import
 */
export async function importBatch(
  session: Session,
  core: CoreClient,
  key: string,
  batch: Batch,
  totals: Totals,
  refuse: (refused: Refused) => void,
): Promise<void> {
  const left = [...batch.statements.entries()]
  while (left.length > 0) {
    try {
      const statements = left.map(([, statement]) => statement)
      add(
        totals,
        await again(session, () =>
          core.admin.importStatements(messagesOf(statements, batch.contents), {
            ...actingFor(key),
            signal: session.ending,
            timeoutMs,
          }),
        ),
      )
      return
    } catch (error) {
      const failure = failureIn(error)
      if (failure?.reason !== Reason.INVALID) throw error
      const [prefix = '', named] = /^batches\[0\]\.statements\[(\d+)\]\.?/.exec(failure.path) ?? []
      // what is no JSON spoils its batch as a whole
      const index = named === undefined ? left.findIndex(([, statement]) => !isJson(statement)) : Number(named)
      const [found] = index < 0 ? [] : left.splice(index, 1)
      if (found === undefined) throw error
      const [place, statement] = found
      const refused = { statement, place: batch.before + place + 1 }
      refuse(
        named === undefined
          ? { ...refused, why: 'must be JSON in UTF-8' }
          : { ...refused, path: failure.path.slice(prefix.length), why: failure.message.replace(prefix, '') },
      )
      totals.rejected++
    }
  }
}

function add(totals: Totals, { stored, skipped, conflicts, conflictCount }: ImportStatementsResponse): void {
  totals.stored += Number(stored)
  totals.skipped += Number(skipped)
  totals.conflicts += Number(conflictCount)
  totals.conflictIds.push(...conflicts.slice(0, 20 - totals.conflictIds.length))
}

async function* messagesOf(
  statements: readonly Uint8Array[],
  contents?: string,
): AsyncGenerator<MessageInitShape<typeof ImportStatementsRequestSchema>> {
  const comma = Buffer.from(',')
  const json = Buffer.concat([
    Buffer.from('['),
    ...statements.flatMap((statement, index) => (index === 0 ? [statement] : [comma, statement])),
    Buffer.from(']'),
  ])
  yield { part: { case: 'statements', value: json } }
  if (contents !== undefined) {
    const files = new Map(statements.flatMap((statement) => contentsOf(statement, contents)))
    for (const [sha2, file] of files) {
      yield { part: { case: 'begin', value: { sha2 } } }
      for await (const piece of createReadStream(file, { highWaterMark: pieceBytes }))
        yield { part: { case: 'content', value: piece } }
    }
  }
  yield { part: { case: 'end', value: {} } }
}

/** The contents that a statement names and that are in the folder: their hashes and files. */
function contentsOf(statement: Uint8Array, folder: string): [sha2: string, file: string][] {
  if (!Buffer.from(statement.buffer, statement.byteOffset, statement.length).includes('"sha2"') || !isJson(statement))
    return []
  // oxlint-disable-next-line typescript/no-explicit-any -- core says what is wrong with it
  const { attachments = [], object }: any = JSON.parse(Buffer.from(statement).toString())
  const named: unknown[] = [attachments, object?.attachments ?? []].flat().map((one) => one?.sha2)
  return named
    .flatMap((sha2) => {
      const file = typeof sha2 === 'string' ? fileOf(folder, sha2) : undefined
      return file !== undefined && existsSync(file) ? [[(sha2 as string).toLowerCase(), file] as const] : []
    })
    .map(([sha2, file]) => [sha2, file])
}

async function sizeOf(files: readonly [string, string][]): Promise<number> {
  let size = 0
  for (const [, file] of files) size += (await stat(file)).size
  return size
}

/** Has the next one ready while one is worked on. */
export async function* ahead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    let next = iterator.next()
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = iterator.next()
      next.catch(() => {})
      yield value
    }
  } finally {
    await iterator.return?.()
  }
}
