import { open, rm, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Failed } from './failed.ts'
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

/**
 * A file that grows in whole pieces, each a gzip member of its own where it is compressed.
 * @param resume go on with one that is there
 * @throws Failed
 */
export async function openExport(
  path: string,
  of: string,
  { zipped, resume, force }: { zipped: boolean; resume: boolean; force: boolean },
): Promise<ExportFile> {
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
  const begun = kept ?? { of, bytes: 0, count: 0, stored: '' }
  if (kept === undefined) await rm(statePath, { force: true })
  const file = await open(path, kept && size !== undefined ? 'r+' : 'w')
  await file.truncate(begun.bytes)
  let { bytes } = begun
  // also what holds nothing yet can be gone on with
  await writeState(statePath, begun)
  return {
    begun,
    async add(text, { count, stored }) {
      const piece = zipped ? await compress(text) : text
      await file.write(piece, 0, piece.length, bytes)
      bytes += piece.length
      await file.datasync()
      await writeState(statePath, { of, bytes, count, stored })
    },
    close: () => file.close(),
  }
}
