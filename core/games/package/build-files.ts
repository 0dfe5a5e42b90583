import { buffer } from 'node:stream/consumers'
import { compressedKey, derivedFolder, isCompressible } from '../../../shared/compressed-files.ts'
import { fileListBytes, inBytes, quotas } from '../../../shared/limits.ts'
import { StorageFailure, type Storage } from '../../../storage/storage.ts'
import { requireIndex, type ZipFile } from './check-zip.ts'
import { scan, type Clamd } from './clamd.ts'
import { distinctNames, entryName, refused } from './entry-name.ts'

/** A file of a browser build. */
export interface BuildFile {
  readonly path: string
  readonly size: number
  /** In hexadecimal digits. */
  readonly sha256: string
}

/** A file that core has unpacked. */
export interface UnpackedFile extends BuildFile {
  /** Its bytes in the zip, which count as storage. */
  readonly packed: number
}

/** A file of a new build that another build of the game has. */
export interface ReusedFile extends UnpackedFile {
  /** Its key in that build. */
  readonly from: string
}

const atOnce = 8
const listKey = (folder: string): string => `${derivedFolder(folder)}files.json`

/** Keeps which files a build has. */
export async function writeFiles(storage: Pick<Storage, 'write'>, folder: string, files: readonly UnpackedFile[]) {
  const list = Buffer.from(JSON.stringify(files.map(({ path, size, packed, sha256 }) => [path, size, packed, sha256])))
  if (list.length <= fileListBytes) await storage.write(listKey(folder), list, list.length)
}

/** The files of a build; none for a build from before there were lists. */
export async function readFiles(storage: Pick<Storage, 'open'>, folder: string): Promise<UnpackedFile[]> {
  const list = await storage.open(listKey(folder))
  if (!list) return []
  const files = JSON.parse((await buffer(await list.read())).toString()) as [string, number, number, string][]
  return files.map(([path, size, packed, sha256]) => ({ path, size, packed, sha256 }))
}

/**
 * Which files the zip lacks, and where other builds have them. The rules of packaging hold for
 * all files together.
 * @param folders of builds of the same game
 * @throws Problem
 */
export async function reusedFiles(
  { fileName, maxExpanded, files, folders }: { fileName: string; maxExpanded: number } & Whole,
  zipFiles: readonly ZipFile[],
  storage: Pick<Storage, 'open'>,
): Promise<ReusedFile[]> {
  const most = quotas.zipEntries.limit
  if (files.length > most) throw refused(fileName, `must have at most ${most.toLocaleString('en')} files`, 'entries')
  const names = distinctNames()
  for (const { path } of files) {
    const { name, folder } = entryName(Buffer.from(path))
    if (folder) throw refused(path, 'must be a file', 'name')
    names.add(name, false)
  }
  requireIndex(
    files.map(({ path }) => path),
    fileName,
  )
  const listed = new Set(files.map(({ path }) => path))
  const packed = new Set(zipFiles.map(({ name }) => name))
  for (const name of packed) if (!listed.has(name)) throw refused(name, 'must be in the list of files', 'changed')
  const there = new Map<string, ReusedFile>()
  for (const folder of folders)
    for (const file of await readFiles(storage, folder)) there.set(file.sha256, { ...file, from: folder + file.path })
  const reused = files
    .filter(({ path }) => !packed.has(path))
    .map(({ path, size, sha256 }) => {
      const found = there.get(sha256)
      if (found?.size !== size) throw lacking(path)
      return { ...found, path }
    })
  const expanded = [...zipFiles, ...reused].reduce((sum, { size }) => sum + size, 0)
  if (expanded > maxExpanded)
    throw refused(fileName, `must not bring all files together over ${inBytes(maxExpanded)}`, 'expansion')
  return reused
}

/** A build whose zip may lack files. */
export interface Whole {
  /** All files of the build; empty: the zip has them all. */
  readonly files: readonly BuildFile[]
  /** Of builds of the same game. */
  readonly folders: readonly string[]
}

/** @throws Problem if an unpacked file is not as the list says */
export function requireListed(files: readonly BuildFile[], unpacked: readonly BuildFile[]): void {
  const digests = new Map(files.map(({ path, sha256 }) => [path, sha256]))
  for (const { path, sha256 } of unpacked)
    if (digests.get(path) !== sha256) throw refused(path, 'must have the SHA-256 that the list of files says', 'sizes')
}

/** Copies files of other builds, with their compressed forms. @throws Problem when one is gone meanwhile */
export async function reuse(
  files: readonly ReusedFile[],
  storage: Pick<Storage, 'open' | 'copy'>,
  folder: string,
  clamd: Clamd | undefined,
): Promise<void> {
  const queue = files.values()
  const work = async () => {
    for (const { from, path } of queue) {
      if (clamd) await scan(clamd, path, async () => (await (await storage.open(from))?.read()) ?? [])
      if (!(await copied(storage, from, folder + path))) throw lacking(path)
      if (!isCompressible(path) || !isCompressible(from)) continue
      for (const coding of ['br', 'gzip'] as const)
        await copied(storage, compressedKey(from, coding), compressedKey(folder + path, coding))
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

const copied = ({ copy }: Pick<Storage, 'copy'>, from: string, to: string): Promise<boolean> =>
  copy(from, to).then(
    () => true,
    (error: unknown) => {
      if (error instanceof StorageFailure && error.reason === 'missing') return false
      throw error
    },
  )

const lacking = (path: string) =>
  refused(path, 'must be in the zip: no build of this game has a file with this SHA-256; push again', 'changed')
