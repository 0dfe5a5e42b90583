import type { StorageConfig } from './config.ts'
import { localStorage } from './local.ts'
import { s3Storage } from './s3.ts'
import type { Storage } from './storage.ts'

/** The storage that the settings name. */
export function openStorage(config: StorageConfig): Storage {
  return config.kind === 'local' ? localStorage(config) : s3Storage(config)
}
