import { resolve } from 'node:path'
import type { Reserves } from '../shared/process/disk-space.ts'
import { choice, SettingError, text, url, type Env } from '../shared/settings/settings.ts'
import { diskReserve, storageKey, uploadReserve } from '../shared/settings/shared-settings.ts'

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
export const readStorageConfig = (env: Env): StorageConfig => (isLocal(env) ? readLocal(env) : readS3(env))

/** The same for a process that only reads; it needs and reads no key. @throws SettingError */
export const readStorageReaderConfig = (env: Env): StorageReaderConfig => (isLocal(env) ? readFolder(env) : readS3(env))

const isLocal = (env: Env): boolean => choice('LRS_STORAGE', env, { default: 'local', of: ['local', 's3'] }) === 'local'

function readFolder(env: Env): LocalReaderConfig {
  const folder = text('LRS_STORAGE_DIR', env)
  if (!folder)
    throw new SettingError(
      'LRS_STORAGE_DIR is not set: builds and files are kept in that folder (or set LRS_STORAGE to s3).',
    )
  return { kind: 'local', folder: resolve(folder) }
}

function readLocal(env: Env): LocalStorageConfig {
  const folder = readFolder(env)
  const key = text('LRS_STORAGE_KEY', env, storageKey)
  if (!key)
    throw new SettingError(
      'LRS_STORAGE_KEY is not set. It signs upload addresses: set it to 32 random bytes in base64url, ' +
        'the same for core and portal.',
    )
  return { ...folder, key: Buffer.from(key, 'base64url'), reserve: diskReserve(env), uploadReserve: uploadReserve(env) }
}

function readS3(env: Env): S3StorageConfig {
  const endpoint = url('LRS_S3_ENDPOINT', env, { protocols: ['http', 'https'] })
  if (!endpoint)
    throw new SettingError(
      'LRS_S3_ENDPOINT is not set. LRS_STORAGE=s3 needs the address of the store, ' +
        'such as https://s3.eu-central-1.amazonaws.com.',
    )
  const { origin, pathname, search, username } = new URL(endpoint)
  if (pathname !== '/' || search || username)
    throw new SettingError(
      'LRS_S3_ENDPOINT has more than an origin, but must be like https://s3.example.org; the bucket is LRS_S3_BUCKET.',
    )
  return {
    kind: 's3',
    endpoint: origin,
    bucket: needed('LRS_S3_BUCKET', env, {
      pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      accepted: 'the name of a bucket: 3 to 63 of a-z, 0-9, . and -',
    }),
    region: text('LRS_S3_REGION', env, {
      default: 'us-east-1',
      pattern: /^[\w-]{1,64}$/,
      accepted: 'the name of a region, such as us-east-1',
    }),
    accessKey: needed('LRS_S3_ACCESS_KEY', env, {
      pattern: /^[\x21-\x7e]{1,200}$/,
      accepted: 'printable ASCII without spaces',
      secret: true,
    }),
    secretKey: needed('LRS_S3_SECRET_KEY', env, {
      pattern: /^[\x21-\x7e]{1,200}$/,
      accepted: 'printable ASCII without spaces',
      secret: true,
    }),
  }
}

function needed(name: string, env: Env, rule: { pattern: RegExp; accepted: string; secret?: boolean }): string {
  const value = text(name, env, rule)
  if (!value) throw new SettingError(`${name} is not set: LRS_STORAGE is s3, which needs it (${rule.accepted}).`)
  return value
}
