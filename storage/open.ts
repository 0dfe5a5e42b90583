import type { StorageConfig, StorageReaderConfig } from './config.ts'
import { localReader, localStorage } from './local.ts'
import { s3Storage } from './s3.ts'
import type { Storage, StorageReader } from './storage.ts'

/** The storage that the settings name. */
export function openStorage(config: StorageConfig): Storage {
  return config.kind === 'local' ? localStorage(config) : s3Storage(config)
}

/** The same for a process that only reads. */
export function openStorageReader(config: StorageReaderConfig): StorageReader {
  return config.kind === 'local' ? localReader(config) : s3Storage(config)
}
