import { open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { quotas } from '../shared/limits.ts'
import { beforeContent, directoryOf, localHeader, type ZipEntry } from '../shared/zip-format.ts'
import { Failed } from './failed.ts'

/** Files that systems leave behind. Hidden files (.env, .git) are left out, too: they are rarely meant for players. */
const leftBehind = new Set(['thumbs.db', 'desktop.ini', '__macosx'])
/** What the fields of a zip hold, with room for its directory. */
const mostBytes = 0xf000_0000

/**
 * Packs a folder so that the same files always give the same bytes: sorted by name, without times.
 * @returns names that were left out
 * @throws Failed at what a build cannot have
 */
export async function zipFolder(folder: string, to: FileHandle): Promise<string[]> {
  const { files, skipped } = await filesOf(folder)
  if (!files.includes('index.html'))
    throw new Failed(`${folder} has no index.html at its top: a browser build starts with it.`)
  if (files.length > quotas.zipEntries.limit) {
    const most = quotas.zipEntries.limit.toLocaleString('en')
    throw new Failed(`${folder} has ${files.length.toLocaleString('en')} files, but a build has ${most} at most.`)
  }
  const entries: ZipEntry[] = []
  let place = 0
  for (const name of files) {
    const entry = await pack(join(folder, name), Buffer.from(name), to, place)
    entries.push(entry)
    place += beforeContent(entry) + entry.packed
    if (place > mostBytes || entry.size > mostBytes) throw new Failed(`${folder} is far larger than a build may be.`)
  }
  const directory = directoryOf(entries, place)
  await to.write(directory, 0, directory.length, place)
  await to.truncate(place + directory.length)
  return skipped
}

async function filesOf(folder: string): Promise<{ files: string[]; skipped: string[] }> {
  const files: string[] = []
  const skipped: string[] = []
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      const name = below + entry.name
      if (entry.name.startsWith('.') || leftBehind.has(entry.name.toLowerCase())) skipped.push(name)
      else if (entry.isDirectory()) await walk(`${name}/`)
      else if (entry.isFile()) files.push(name)
      else
        throw new Failed(`${join(folder, name)} is a link or no file: a build has files only. Pack what it points to.`)
    }
  }
  await walk('')
  const byName = (a: string, b: string) => (a < b ? -1 : 1)
  return { files: files.sort(byName), skipped: skipped.sort(byName) }
}

/** Deflates a file, or stores it where that is no gain, or where it would look like a zip bomb. */
async function pack(path: string, name: Buffer, to: FileHandle, offset: number): Promise<ZipEntry> {
  const start = offset + beforeContent({ name })
  const deflated = await write(path, to, start, true)
  const isStored = deflated.packed >= deflated.size || deflated.size > quotas.zipRatio.limit * deflated.packed
  const written = isStored ? await write(path, to, start, false) : deflated
  if (written.crc !== deflated.crc) throw new Failed(`${path} changes while it is packed: try again.`)
  const entry: ZipEntry = { name, offset, method: isStored ? 0 : 8, ...written }
  const header = localHeader(entry)
  await to.write(header, 0, header.length, offset)
  return entry
}

async function write(
  path: string,
  to: FileHandle,
  start: number,
  deflate: boolean,
): Promise<{ crc: number; packed: number; size: number }> {
  let [crc, packed, size] = [0, 0, 0]
  const file = await open(path)
  async function* counted() {
    for await (const chunk of file.createReadStream()) {
      crc = crc32(chunk as Buffer, crc)
      size += (chunk as Buffer).length
      yield chunk as Buffer
    }
  }
  const sink = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      await to.write(chunk, 0, chunk.length, start + packed)
      packed += chunk.length
    }
  }
  const source = Readable.from(counted())
  await (deflate ? pipeline(source, createDeflateRaw({ level: 9 }), sink) : pipeline(source, sink))
  return { crc, packed, size }
}
