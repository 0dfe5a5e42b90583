import { resolve } from 'node:path'
import type { Reserves } from '../shared/process/disk-space.ts'
import { SettingError, type Env } from '../shared/settings/kinds.ts'
import { needed, readSettings, type Settings } from '../shared/settings/settings.ts'

/** The settings of a folder for a process that only reads. */
export interface LocalReaderConfig {
  readonly kind: 'local'
  readonly folder: string
}

export interface LocalStorageConfig extends LocalReaderConfig, Reserves {
  /** Signs the addresses that parts are sent to; the same on every core and portal. */
  readonly key: Uint8Array
}

export interface S3StorageConfig {
  readonly kind: 's3'
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKey: string
  readonly secretKey: string
}

export type StorageConfig = LocalStorageConfig | S3StorageConfig
export type StorageReaderConfig = LocalReaderConfig | S3StorageConfig

/** The settings of storage, for the processes that write. @throws SettingError */
export function readStorageConfig(env: Env): StorageConfig {
  const config = readStorageReaderConfig(env)
  if (config.kind === 's3') return config
  const { storageKey, diskReserve: reserve, uploadReserve } = readSettings('uploads', env)
  const why = 'it signs upload addresses: set it to 32 random bytes in base64url, the same for core and portal.'
  const key = Buffer.from(needed('LRS_STORAGE_KEY', storageKey, why), 'base64url')
  return { ...config, key, reserve, uploadReserve }
}

/** The same for a process that only reads; it needs and reads no key. @throws SettingError */
export function readStorageReaderConfig(env: Env): StorageReaderConfig {
  const settings = readSettings('files', env)
  if (settings.storage === 's3') return s3Of(settings)
  const why = 'builds and files are kept in that folder (or set LRS_STORAGE to s3).'
  return { kind: 'local', folder: resolve(needed('LRS_STORAGE_DIR', settings.storageDir, why)) }
}

function s3Of(settings: Settings<'files'>): S3StorageConfig {
  const why = 'LRS_STORAGE is s3, which needs it.'
  const where = 'LRS_STORAGE=s3 needs the address of the store, such as https://s3.eu-central-1.amazonaws.com.'
  const { origin, pathname, search, username } = new URL(needed('LRS_S3_ENDPOINT', settings.s3Endpoint, where))
  if (pathname !== '/' || search || username)
    throw new SettingError(
      'LRS_S3_ENDPOINT has more than an origin, but must be like https://s3.example.org; the bucket is LRS_S3_BUCKET.',
    )
  return {
    kind: 's3',
    endpoint: origin,
    bucket: needed('LRS_S3_BUCKET', settings.s3Bucket, why),
    region: settings.s3Region,
    accessKey: needed('LRS_S3_ACCESS_KEY', settings.s3AccessKey, why),
    secretKey: needed('LRS_S3_SECRET_KEY', settings.s3SecretKey, why),
  }
}
