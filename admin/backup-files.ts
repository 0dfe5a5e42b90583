import { createHash } from 'node:crypto'
import { open, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import { Failed } from './failed.ts'

/** What a backup says of itself; its last entry, `manifest.json`. */
export interface Manifest {
  readonly format: 1
  /** ISO 8601. */
  readonly made: string
  readonly version: string
  /** Major version. */
  readonly postgres: string
  /** The newest entry of the audit log, as `position:hash`. */
  readonly auditHead?: string | undefined
  readonly bytes: number
  readonly files: readonly { path: string; size: number; sha256: string }[]
}

export const manifestName = 'manifest.json'
const pieceBytes = 1024 * 1024
/** What belongs to a running server only. */
const passing = new Set(['postgres/postmaster.pid', 'postgres/postmaster.opts'])

export interface Source {
  /** In the archive. */
  readonly path: string
  readonly file: string
  readonly mode: number
  readonly size: number
}

/** All files and folders of a part, folders before what is in them. @throws Failed at what is neither */
export async function* sourcesOf(path: string, file: string): AsyncGenerator<Source> {
  const found = await lstat(file)
  const { mode, size } = found
  if (found.isFile()) {
    if (!passing.has(path)) yield { path, file, mode, size }
  } else if (found.isDirectory()) {
    yield { path: `${path}/`, file, mode, size: 0 }
    for (const name of (await readdir(file)).sort()) yield* sourcesOf(`${path}/${name}`, join(file, name))
  } else throw new Failed(`${file} is neither a file nor a folder. A backup cannot contain it.`)
}

/** The archive of these files (POSIX pax), with the manifest at its end. @param onBytes told how many bytes were read */
export function archiveOf(
  sources: readonly Source[],
  about: Omit<Manifest, 'bytes' | 'files'>,
  onBytes: (bytes: number) => void,
): Pack {
  const archive = pack()
  fill(archive, sources, about, onBytes).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  )
  return archive
}

async function fill(
  archive: Pack,
  sources: readonly Source[],
  about: Omit<Manifest, 'bytes' | 'files'>,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const files: Manifest['files'][number][] = []
  let bytes = 0
  for (const source of sources) {
    const { path, mode, size } = source
    if (path.endsWith('/')) {
      archive.entry({ name: path, mode, type: 'directory' })
      continue
    }
    const hash = createHash('sha256')
    const hashed = async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece)
        bytes += piece.length
        onBytes(bytes)
        yield piece
      }
    }
    await pipeline(contentOf(source), hashed, archive.entry({ name: path, mode, size }))
    files.push({ path, size, sha256: hash.digest('hex') })
  }
  const manifest = JSON.stringify({ ...about, bytes, files } satisfies Manifest)
  archive.entry({ name: manifestName, mode: 0o600 }, `${manifest}\n`)
}

async function* contentOf({ file, size }: Source): AsyncGenerator<Buffer> {
  const opened = await open(file)
  try {
    for (let at = 0; at < size;) {
      const { bytesRead, buffer } = await opened.read(
        Buffer.allocUnsafe(Math.min(pieceBytes, size - at)),
        0,
        undefined,
        at,
      )
      if (bytesRead === 0)
        throw new Failed(`${file} became shorter during the backup: another process uses the data folder.`)
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await opened.close()
  }
}
