import { open } from 'node:fs/promises'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { compressedKey, isCompressible, type Coding } from '../../../shared/compressed-files.ts'
import { StorageFailure, type Storage } from '../../../storage/storage.ts'
import type { ZipFile } from './check-zip.ts'
import { inMemory } from './unpack.ts'

const MiB = 1024 * 1024
/** Smaller files fit into one packet. Larger ones would take too much memory: each is there as a whole. */
const [minBytes, maxBytes] = [1024, 64 * MiB]
/** Bytes of a build that core compresses, in about 30 s. The files after them have no compressed form. */
const maxBytesOfBuild = 512 * MiB
/** A compressed file is kept if it has at most this part of the bytes. */
const gain = 0.9

/** The files of a zip that are compressed, and the quality of brotli: a MB takes 2 s with 11 and 0.05 s with 6. */
export function chosen(files: readonly ZipFile[]): { files: ZipFile[]; quality: 6 | 11 } {
  let bytes = 0
  const fitting = files.filter(
    ({ name, size }) =>
      isCompressible(name) && size >= minBytes && size <= maxBytes && (bytes += size) <= maxBytesOfBuild,
  )
  return { files: fitting, quality: bytes <= 2 * MiB ? 11 : 6 }
}

/**
 * Stores files of an unpacked zip in both codings, so that the player need not compress them. Synchronous calls stay in
 * this thread, which has a low priority. If the disk is full, the build has no compressed files.
 */
export async function compress(
  path: string,
  zipFiles: readonly ZipFile[],
  storage: Pick<Storage, 'write'>,
  prefix: string,
): Promise<void> {
  const { files, quality } = chosen(zipFiles)
  const zip = await open(path)
  try {
    for (const file of files) {
      const bytes = await inMemory(zip, file)
      const keep = async (coding: Coding, coded: Buffer): Promise<boolean> => {
        const gains = coded.length <= gain * bytes.length
        if (gains) await storage.write(compressedKey(prefix + file.name, coding), coded, coded.length)
        return gains
      }
      const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 24 }
      if (await keep('gzip', gzipSync(bytes))) await keep('br', brotliCompressSync(bytes, { params }))
    }
  } catch (error) {
    if (!(error instanceof StorageFailure && error.reason === 'full')) throw error
  } finally {
    await zip.close()
  }
}
