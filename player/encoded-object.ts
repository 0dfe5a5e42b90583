import type { IncomingMessage } from 'node:http'
import { compressedKey, isCompressible, type Coding } from '../shared/compressed-files.ts'
import type { StorageReader, StoredObject } from '../storage/storage.ts'
import { accepts } from './media-type.ts'
import type { Place } from './place.ts'

/**
 * The file in the best coding that the browser accepts and core has made, else without a coding. Its strong tag names
 * the coding. A range is always of the file without a coding (RFC 9110 14): a player of audio, for example, reads parts.
 */
export async function encodedObject(
  { headers }: IncomingMessage,
  { kind, key, path }: Place,
  storage: StorageReader,
): Promise<(StoredObject & { coding?: Coding }) | undefined> {
  const fits = kind === 'file' && headers.range === undefined && isCompressible(path)
  const coding = fits ? (['br', 'gzip'] as const).find((one) => accepts(headers['accept-encoding'], one)) : undefined
  const object = coding && (await storage.open(compressedKey(key, coding)))
  return object ? { ...object, coding, etag: `${object.etag.slice(0, -1)}-${coding}"` } : storage.open(key)
}
