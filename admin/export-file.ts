import { open, rm, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ExportOptions } from './export-form.ts'
import { Failed } from './failed.ts'
import type { Session } from './session.ts'
import { amount, number, type Shown } from './show.ts'
import { readState, writeState } from './state-file.ts'

const compress = promisify(gzip)

/** How far a file has come; kept beside it as `<file>.state.json`. */
export interface ExportState {
  /** What the file holds: the query, the columns. */
  readonly of: string
  /** Bytes that are whole. */
  readonly bytes: number
  readonly count: number
  /** `stored` of the last statement; empty: none yet. */
  readonly stored: string
}

export interface ExportFile {
  /** How far an earlier run has come. */
  readonly begun: ExportState
  /** Adds what belongs together; after a crash either all of it counts or nothing. */
  add(text: Buffer, state: Pick<ExportState, 'count' | 'stored'>): Promise<void>
  close(): Promise<void>
}

type Options = Pick<ExportOptions, 'out' | 'gzip' | 'resume' | 'force'>

/**
 * A file that grows in whole pieces, each a gzip member of its own where it is compressed; without one, stdout, which
 * always starts over. `resume` goes on with a file that is there.
 * @throws Failed
 */
export async function openExport(session: Session, options: Options, of: string): Promise<ExportFile> {
  const { out: path, gzip: zipped, resume, force } = options
  const nothing = { of, bytes: 0, count: 0, stored: '' }
  const packed = async (text: Buffer) => (zipped ? compress(text) : text)
  if (path === undefined)
    return { begun: nothing, add: async (text) => session.write(await packed(text)), close: async () => {} }
  const statePath = `${path}.state.json`
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) throw new Failed(`${path} is a folder. Name a file.`)
  const size = found?.size
  const kept = resume ? await readState<ExportState>(statePath) : undefined
  if (kept === undefined && size !== undefined && !force) {
    throw new Failed(
      resume
        ? `${path} exists, but ${statePath}, which records the progress, does not: --force starts over.`
        : `${path} exists already: --resume continues it, --force starts over.`,
    )
  }
  if (kept && kept.of !== of)
    throw new Failed(
      `${path} was started with other filters, other columns or another core. Use the same ones, or name another file.`,
    )
  if (kept && (size ?? 0) < kept.bytes)
    throw new Failed(`${path} is shorter than ${statePath} says: --force starts over.`)
  const begun = kept ?? nothing
  if (kept === undefined) await rm(statePath, { force: true })
  const file = await open(path, kept && size !== undefined ? 'r+' : 'w')
  await file.truncate(begun.bytes)
  let { bytes } = begun
  // also what holds nothing yet can be gone on with
  await writeState(statePath, begun)
  return {
    begun,
    async add(text, { count, stored }) {
      const piece = await packed(text)
      await file.write(piece, 0, piece.length, bytes)
      bytes += piece.length
      await file.datasync()
      await writeState(statePath, { of, bytes, count, stored })
    },
    close: () => file.close(),
  }
}

/** What an export has done: for programs where a file has the statements, else in a note. */
export function reportOf(session: Session, file: string | undefined, before: number, count: number): Shown | void {
  if (session.json && file !== undefined) return { json: { file, added: count - before, statements: count }, text: '' }
  session.note(
    before > 0
      ? `${amount(count - before, 'statement was', 'statements were')} added, ${number(count)} in all.`
      : `${amount(count, 'statement')}.`,
  )
}
