import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { SettingError } from '../../shared/settings/kinds.ts'
import type { Call } from '../command.ts'
import { Failed } from '../failed.ts'
import { ahead, batchesOf, importBatch, nothingYet } from '../import-batches.ts'
import { finish, refusals, type ImportOptions } from '../import-report.ts'
import { memberOf, skipSpace } from '../json-spans.ts'
import { valuesIn } from '../json-values.ts'
import { progress } from '../progress.ts'
import { repairing } from '../repair-report.ts'
import { sizes } from '../../shared/limits.ts'
import { readState, writeState } from '../state-file.ts'
import { keyOf } from '../which-key.ts'

interface State {
  /** Which file, as it was. */
  readonly of: string
  /** Number of its statements that are stored. */
  readonly count: number
}

/** Takes over the statements of a file: one in each line, or one array; compressed by gzip or not; `-` is stdin. */
export const importFile: Call<ImportOptions & { file: string }> = async (core, { file: path, ...options }, session) => {
  const isStdin = path === '-'
  const file = isStdin ? undefined : await stat(path)
  if (file?.isDirectory()) throw new Failed(`${path} is a folder. Name a file.`)
  const key = await keyOf(session, core, options)
  const of = file ? `${resolve(path)} ${file.size} ${file.mtimeMs} → ${session.config().coreUrl} ${key}` : ''
  if (options.state !== undefined && isStdin)
    throw new SettingError('--state needs a file: stdin cannot be read twice.')
  const begun = options.state === undefined ? undefined : await readState<State>(options.state)
  if (begun && begun.of !== of)
    throw new SettingError(
      `${options.state} belongs to another import, or the file has changed: name another file with --state.`,
    )
  const totals = nothingYet()
  const refuse = refusals(options.rejects)
  const repairs = repairing(options)
  const contents = typeof options.attachments === 'string' ? options.attachments : undefined
  if (contents !== undefined && !(await stat(contents)).isDirectory())
    throw new Failed(`${contents} is not a folder. --attachments names the folder that an export wrote.`)
  const bar = progress('Importing')
  let bytes = 0
  const counted = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      bytes += chunk.length
      yield chunk
    }
  }
  let { count } = begun ?? { count: 0 }
  const source = isStdin ? process.stdin : createReadStream(path, { highWaterMark: 1024 * 1024 })
  try {
    const statements = withIds(valuesIn(unzipped(counted(source)), sizes.statementsBody), count, repairs.repair)
    for await (const batch of ahead(batchesOf(statements, count, contents))) {
      await importBatch(session, core, key, batch, totals, (refused) => refuse(repairs.refused(refused)))
      repairs.stored(batch)
      count += batch.statements.length
      bar.show(count, file && Math.max(count, Math.round((count * file.size) / bytes)))
      if (options.state !== undefined) await writeState(options.state, { of, count } satisfies State)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw typeof code === 'string' && code.startsWith('Z_')
      ? new Failed(`${path} is damaged: it cannot be decompressed completely.`)
      : error
  } finally {
    bar.end()
    repairs.lines().forEach((line) => session.note(line))
    source.destroy()
  }
  if (count === 0) session.note(`${isStdin ? 'Stdin' : path} holds no statements.`)
  return finish(session, totals, repairs.json())
}

/** Decompresses what begins as gzip does. */
async function* unzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) return
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  const isZipped = first.value[0] === 0x1f && first.value[1] === 0x8b
  // the callback is there for errors, which come out of gunzip as well
  yield* isZipped ? pipeline(all, createGunzip(), () => {}) : all()
}

/**
 * A statement without id gets one that follows from its content and place: sent again, it is the same statement.
 * @param skip how many are stored already
 */
async function* withIds(
  statements: AsyncIterable<Uint8Array>,
  skip: number,
  repair: (original: Uint8Array, named: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  let place = 0
  for await (const statement of statements) {
    if (place++ >= skip) yield repair(statement, withId(statement, place))
  }
}

/** Of what is no JSON core says so. */
function hasId(statement: Uint8Array): boolean {
  try {
    return memberOf(statement, 'id') !== undefined
  } catch {
    return true
  }
}

function withId(statement: Uint8Array, place: number): Uint8Array {
  const first = skipSpace(statement, 1)
  if (statement[first] === 0x7d || hasId(statement)) return statement
  const digest = createHash('sha256').update(`${place} `).update(statement).digest('hex')
  const id = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  return Buffer.concat([Buffer.from(`{"id":"${id}",`), statement.subarray(1)])
}
