import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { removeLaunchFile, writeLaunchFile } from './launch-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lrs-launch-file-'))
  file = join(folder, 'launch.json')
})
const context = {
  endpoint: 'http://localhost:8080/xapi/',
  auth: 'Bearer a',
  actor: {},
  registration: 'r',
  activity_id: 'https://games.example/chess',
}

test('only the owner can read the file, also where another file or link was left beside it', () => {
  writeFileSync(`${file}.new`, 'left by another')
  chmodSync(`${file}.new`, 0o666)
  writeLaunchFile(file, context)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  symlinkSync(join(folder, 'of-another'), `${file}.new`)
  writeLaunchFile(file, { ...context, auth: 'Bearer b' })
  expect(existsSync(join(folder, 'of-another'))).toBe(false)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ auth: 'Bearer b' })
  removeLaunchFile(file, context)
  expect(existsSync(file)).toBe(false)
})

test.each(['{}', 'null', '[]', '1', '', 'not JSON', '{"auth":1}', '{"auth":"Bearer a"}'])(
  'a file with %s is another one, and stays',
  (text) => {
    writeFileSync(file, text)
    expect(() => writeLaunchFile(file, context)).toThrow('is there and is no launch file')
    removeLaunchFile(file, context)
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)
