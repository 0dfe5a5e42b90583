import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { quotas } from '../shared/limits.ts'
import { Failed } from './failed.ts'
import { ignoreFile, ignoring } from './ignore-list.ts'

/** A file of a folder that is pushed. */
export interface FolderFile {
  readonly path: string
  readonly size: number
}

export interface HashedFile extends FolderFile {
  readonly sha256: Uint8Array
}

/** The files of a build in their order, and what is left out. @throws Failed at what a build cannot have */
export async function filesOf(folder: string): Promise<{ files: FolderFile[]; skipped: string[] }> {
  const files: FolderFile[] = []
  const skipped: string[] = []
  const ignores = ignoring(await readFile(join(folder, ignoreFile), 'utf8').catch(() => ''))
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const path = below + entry.name
      if (ignores(path, entry.isDirectory())) {
        if (path !== ignoreFile) skipped.push(path)
      } else if (entry.isDirectory()) await walk(`${path}/`)
      else if (entry.isFile()) files.push({ path, size: (await stat(join(folder, path))).size })
      else
        throw new Failed(`${join(folder, path)} is a link or no file: a build has files only. Pack what it points to.`)
    }
  }
  await walk('')
  if (!files.some(({ path }) => path === 'index.html'))
    throw new Failed(`${folder} has no index.html at its top: a browser build starts with it.`)
  const most = quotas.zipEntries.limit
  if (files.length > most)
    throw new Failed(
      `${folder} has ${files.length.toLocaleString('en')} files, but a build has ${most.toLocaleString('en')} at most.`,
    )
  const before = (a: string, b: string) => (a < b ? -1 : 1)
  return { files: files.sort((a, b) => before(a.path, b.path)), skipped: skipped.sort(before) }
}

/** Reads the files for their hashes. @param read is given how many bytes came */
export async function hashed(
  folder: string,
  files: readonly FolderFile[],
  read: (bytes: number) => void,
): Promise<HashedFile[]> {
  const all: HashedFile[] = []
  for (const { path } of files) {
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of createReadStream(join(folder, path), { highWaterMark: 1024 * 1024 })) {
      hash.update(chunk as Buffer)
      size += (chunk as Buffer).length
      read((chunk as Buffer).length)
    }
    all.push({ path, size, sha256: hash.digest() })
  }
  return all
}
