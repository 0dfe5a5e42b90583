import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { quotas } from '../shared/limits.ts'
import { beforeContent, directoryOf, localHeader, type ZipEntry } from '../shared/zip-format.ts'
import { Failed } from './failed.ts'

/** What the fields of a zip hold, with room for its directory. */
const mostBytes = 0xf000_0000

/**
 * Packs files of a folder, in their order and without times, so that the same files give the same bytes.
 * @param read is given how many bytes of files came
 * @throws Failed
 */
export async function zipFiles(
  folder: string,
  paths: readonly string[],
  to: FileHandle,
  read: (bytes: number) => void,
): Promise<void> {
  const entries: ZipEntry[] = []
  let place = 0
  for (const path of paths) {
    const entry = await pack(join(folder, path), Buffer.from(path), to, place, read)
    entries.push(entry)
    place += beforeContent(entry) + entry.packed
    if (place > mostBytes || entry.size > mostBytes) throw new Failed(`${folder} is far larger than a build may be.`)
  }
  const directory = directoryOf(entries, place)
  await to.write(directory, 0, directory.length, place)
  await to.truncate(place + directory.length)
}

/** Deflates a file, or stores it where that is no gain, or where it would look like a zip bomb. */
async function pack(
  path: string,
  name: Buffer,
  to: FileHandle,
  offset: number,
  read: (bytes: number) => void,
): Promise<ZipEntry> {
  const start = offset + beforeContent({ name })
  const deflated = await write(path, to, start, true, read)
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
  read: (bytes: number) => void = () => {},
): Promise<{ crc: number; packed: number; size: number }> {
  let [crc, packed, size] = [0, 0, 0]
  const file = await open(path)
  async function* counted() {
    for await (const chunk of file.createReadStream()) {
      crc = crc32(chunk as Buffer, crc)
      size += (chunk as Buffer).length
      read((chunk as Buffer).length)
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
  await (deflate ? pipeline(source, createDeflateRaw(), sink) : pipeline(source, sink))
  return { crc, packed, size }
}
