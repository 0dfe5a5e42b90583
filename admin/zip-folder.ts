import { open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { quotas } from '../shared/limits.ts'
import { Failed } from './failed.ts'

/** Files that systems leave behind. Hidden files (.env, .git) are left out, too: they are rarely meant for players. */
const leftBehind = new Set(['thumbs.db', 'desktop.ini', '__macosx'])
const headerBytes = 30
/** The first day of zip: the time of a file must not change the hash of the package. */
const firstDay = 0x0021
const utf8 = 0x0800
const regularFile = 0o100644
/** What the fields of a zip hold, with room for its directory. */
const mostBytes = 0xf000_0000

interface Entry {
  readonly name: Buffer
  readonly offset: number
  readonly method: 0 | 8
  readonly crc: number
  readonly packed: number
  readonly size: number
}

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
  const entries: Entry[] = []
  let place = 0
  for (const name of files) {
    const entry = await pack(join(folder, name), Buffer.from(name), to, place)
    entries.push(entry)
    place += headerBytes + entry.name.length + entry.packed
    if (place > mostBytes || entry.size > mostBytes) throw new Failed(`${folder} is far larger than a build may be.`)
  }
  const directory = Buffer.concat(entries.map(directoryEntry))
  await to.write(directory, 0, directory.length, place)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(place, 16)
  await to.write(end, 0, end.length, place + directory.length)
  await to.truncate(place + directory.length + end.length)
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
async function pack(path: string, name: Buffer, to: FileHandle, offset: number): Promise<Entry> {
  const start = offset + headerBytes + name.length
  const deflated = await write(path, to, start, true)
  const isStored = deflated.packed >= deflated.size || deflated.size > quotas.zipRatio.limit * deflated.packed
  const written = isStored ? await write(path, to, start, false) : deflated
  if (written.crc !== deflated.crc) throw new Failed(`${path} changes while it is packed: try again.`)
  const entry: Entry = { name, offset, method: isStored ? 0 : 8, ...written }
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(0x04034b50, 0)
  common(entry).copy(header, 4)
  header.writeUInt16LE(name.length, 26)
  await to.write(Buffer.concat([header, name]), 0, headerBytes + name.length, offset)
  return entry
}

/** What both headers of an entry have: from the version to the size. */
function common({ method, crc, packed, size }: Entry): Buffer {
  const part = Buffer.alloc(22)
  part.writeUInt16LE(20, 0)
  part.writeUInt16LE(utf8, 2)
  part.writeUInt16LE(method, 4)
  part.writeUInt16LE(firstDay, 8)
  part.writeUInt32LE(crc, 10)
  part.writeUInt32LE(packed, 14)
  part.writeUInt32LE(size, 18)
  return part
}

function directoryEntry(entry: Entry): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(0x0314, 4)
  common(entry).copy(header, 6)
  header.writeUInt16LE(entry.name.length, 28)
  header.writeUInt32LE(regularFile * 0x10000, 38)
  header.writeUInt32LE(entry.offset, 42)
  return Buffer.concat([header, entry.name])
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
