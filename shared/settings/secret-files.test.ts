import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { unknownSettings } from './unknown-settings.ts'
import { withSecretFiles } from './secret-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'lrs-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileWith(content: string): string {
  const file = join(folder, 'secret')
  writeFileSync(file, content)
  return file
}

test('a secret is read from its file, without the newline at its end', () => {
  const LRS_SIGNING_KEY_FILE = fileWith('abc\n')
  expect(withSecretFiles({ A: '1', LRS_SIGNING_KEY_FILE })).toEqual({ A: '1', LRS_SIGNING_KEY: 'abc' })
  expect(unknownSettings({ LRS_SIGNING_KEY_FILE })).toEqual([])
})

test('a file that is read again keeps its setting', () => {
  const LRS_CELL_SERVERS_FILE = fileWith('east=postgres://h/d\n')
  const env = { LRS_CELL_SERVERS_FILE, LRS_CELL_SERVERS: 'east=postgres://h/d' }
  expect(withSecretFiles({ LRS_CELL_SERVERS_FILE })).toEqual(env)
})

test('what is no secret is not read from a file', () => {
  const env = { LRS_TENANCY_FILE: fileWith('isolated') }
  expect(withSecretFiles(env)).toEqual(env)
  expect(unknownSettings(env)).toEqual([expect.stringContaining('LRS_TENANCY_FILE is not a setting')])
})

test.each([
  [
    () => ({ DATABASE_URL: 'postgres://x/y', DATABASE_URL_FILE: '/x' }),
    /^DATABASE_URL and DATABASE_URL_FILE are both set/,
  ],
  [() => ({ LRS_STORAGE_KEY_FILE: join(folder, 'none') }), /^LRS_STORAGE_KEY_FILE names a file that cannot be read/],
  // a secret in place of a path does not show
  [
    () => ({ DATABASE_URL_FILE: 'postgres://u:secret@h/d' }),
    /^DATABASE_URL_FILE names a file that cannot be read \(ENOENT\)\.$/,
  ],
  [() => ({ LRS_STORAGE_KEY_FILE: fileWith(' \n') }), /^LRS_STORAGE_KEY_FILE names an empty file/],
])('%s is refused', (env, message) => expect(() => withSecretFiles(env())).toThrow(message))
