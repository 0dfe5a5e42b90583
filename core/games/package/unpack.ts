import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import type { Storage } from '../../../storage/storage.ts'
import { Problem } from '../../process/problem.ts'
import type { UnpackedFile } from './build-files.ts'
import { scan, type Clamd } from './clamd.ts'
import type { ZipFile } from './check-zip.ts'
import { refused } from './entry-name.ts'

/** Files up to this size are unpacked in memory; four at a time. */
const smallBytes = 1024 * 1024
const atOnce = 4

/**
 * Writes every file of a checked zip below `prefix`. The size and checksum of each file must be those of the zip's
 * directory. With clamd each file is scanned before it is written.
 * @returns the files in the order in which they were written
 * @throws Problem; then a part of them may be there
 */
export async function unpack(
  path: string,
  files: readonly ZipFile[],
  storage: Pick<Storage, 'write'>,
  prefix: string,
  clamd?: Clamd,
): Promise<UnpackedFile[]> {
  const zip = await open(path)
  const queue = files.values()
  const unpacked: UnpackedFile[] = []
  let failed = false
  const work = async () => {
    try {
      for (const file of queue) {
        if (failed) return
        const bytes = file.size <= smallBytes && file.packed <= smallBytes ? await inMemory(zip, file) : undefined
        if (clamd) await scan(clamd, file.name, () => (bytes ? [bytes] : streamed(path, file)))
        const hash = createHash('sha256')
        const content = bytes ?? Readable.from(hashed(streamed(path, file), hash), { objectMode: false })
        if (bytes) hash.update(bytes)
        await storage.write(prefix + file.name, content, file.size)
        unpacked.push({ path: file.name, size: file.size, packed: file.packed, sha256: hash.digest('hex') })
      }
    } catch (error) {
      failed = true
      throw error
    }
  }
  try {
    // wait for all writers before a failure is thrown: the caller removes what they wrote
    const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return unpacked
  } finally {
    await zip.close()
  }
}

async function* hashed(source: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
}

/** The content of one file. @throws Problem */
export async function inMemory(
  zip: FileHandle,
  { name, start, packed, deflated, size, crc }: ZipFile,
): Promise<Buffer> {
  const { buffer: bytes, bytesRead } = await zip.read(Buffer.allocUnsafe(packed), 0, packed, start)
  let content: Buffer = bytes
  if (bytesRead !== packed) throw untrue(name)
  if (deflated) {
    try {
      const { buffer, engine } = inflateRawSync(bytes, {
        maxOutputLength: Math.max(size, 1),
        info: true,
      }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
      if (engine.bytesWritten !== packed) throw untrue(name)
      content = buffer
    } catch {
      throw untrue(name)
    }
  }
  if (content.length !== size || crc32(content) !== crc) throw untrue(name)
  return content
}

async function* streamed(path: string, { name, start, packed, deflated, size, crc }: ZipFile): AsyncGenerator<Buffer> {
  const source =
    packed === 0
      ? Readable.from([])
      : createReadStream(path, { start, end: start + packed - 1, highWaterMark: 256 * 1024 })
  const inflate = deflated ? createInflateRaw({ chunkSize: 128 * 1024 }) : undefined
  // the iteration throws the failures of both
  const content = inflate ? pipeline(source, inflate, () => undefined) : source
  let [bytes, sum] = [0, 0]
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > size) throw untrue(name)
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw error instanceof Problem || !(error as { code?: string }).code?.startsWith('Z_') ? error : untrue(name)
  }
  if (bytes !== size || sum !== crc || (inflate && inflate.bytesWritten !== packed)) throw untrue(name)
}

const untrue = (name: string) =>
  refused(name, 'must be undamaged, with the size and checksum that the zip says it has', 'sizes')
