import { expect, test } from 'vitest'
import { readStorageConfig, readStorageReaderConfig } from './config.ts'

const key = 'k'.repeat(43)
const s3 = {
  LRS_STORAGE: 's3',
  LRS_S3_ENDPOINT: 'https://s3.example.org',
  LRS_S3_BUCKET: 'builds',
  LRS_S3_ACCESS_KEY: 'access',
  LRS_S3_SECRET_KEY: 'hidden',
}

test('a process that only reads needs no key and gets none', () => {
  expect(readStorageReaderConfig({ LRS_STORAGE_DIR: '/data', LRS_STORAGE_KEY: key })).toEqual({
    kind: 'local',
    folder: '/data',
  })
  expect(readStorageReaderConfig({ LRS_STORAGE_DIR: '/data' })).toEqual({ kind: 'local', folder: '/data' })
})

test('local disk and S3', () => {
  expect(readStorageConfig({ LRS_STORAGE_DIR: '/data', LRS_STORAGE_KEY: key })).toEqual({
    kind: 'local',
    folder: '/data',
    key: Buffer.from(key, 'base64url'),
  })
  expect(readStorageConfig(s3)).toEqual({
    kind: 's3',
    endpoint: 'https://s3.example.org',
    bucket: 'builds',
    region: 'us-east-1',
    accessKey: 'access',
    secretKey: 'hidden',
  })
  expect(readStorageConfig({ ...s3, LRS_S3_ENDPOINT: 'http://127.0.0.1:9000/', LRS_S3_REGION: 'eu-1' })).toMatchObject({
    endpoint: 'http://127.0.0.1:9000',
    region: 'eu-1',
  })
})

test.each<[Record<string, string>, RegExp]>([
  [{}, /^LRS_STORAGE_DIR is not set/],
  [{ LRS_STORAGE_DIR: '/data' }, /^LRS_STORAGE_KEY is not set/],
  [{ LRS_STORAGE_DIR: '/data', LRS_STORAGE_KEY: 'hidden' }, /^LRS_STORAGE_KEY is set, but must be 32 random bytes/],
  [{ LRS_STORAGE: 'disk' }, /^LRS_STORAGE is "disk", but must be "local" or "s3"\.$/],
  [{ ...s3, LRS_S3_ENDPOINT: '' }, /^LRS_S3_ENDPOINT is not set/],
  [{ ...s3, LRS_S3_ENDPOINT: 's3.example.org' }, /^LRS_S3_ENDPOINT is not an accepted address/],
  [{ ...s3, LRS_S3_ENDPOINT: 'https://s3.example.org/builds' }, /^LRS_S3_ENDPOINT has more than an origin/],
  [{ ...s3, LRS_S3_BUCKET: '' }, /^LRS_S3_BUCKET is not set/],
  [{ ...s3, LRS_S3_BUCKET: 'Builds/x' }, /^LRS_S3_BUCKET is "Builds\/x", but must be the name of a bucket/],
  [{ ...s3, LRS_S3_SECRET_KEY: '' }, /^LRS_S3_SECRET_KEY is not set/],
  [{ ...s3, LRS_S3_SECRET_KEY: 'hidden key' }, /^LRS_S3_SECRET_KEY is set, but/],
])('%o is refused in one line', (env, message) => {
  expect(() => readStorageConfig(env)).toThrow(message)
  expect(() => readStorageConfig(env)).toThrow(/^(?!.*hidden)[^\n]+$/)
})
