import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { countEntries } from '../../admin/commands/restore.ts'
import { temporaryFolder } from '../../start/fixtures/launch.ts'
import { failed, run } from '../support/admin.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

describe('an archive that no backup has made', () => {
  const end = Buffer.alloc(1024)
  type Type = 'file' | 'directory' | 'symlink' | 'character-device'
  async function entry(name: string, content = '', type: Type = 'file'): Promise<Buffer> {
    const archive = pack()
    archive.entry({ name, type, mode: 0o6755, size: content.length, linkname: 'elsewhere' }, content)
    archive.finalize()
    return (await buffer(archive)).subarray(0, -end.length)
  }
  /** The same with another text in a field of its header, and the sum that belongs to it. */
  async function changed(made: Promise<Buffer>, at: number, text: string): Promise<Buffer> {
    const bytes = await made
    bytes.write(text, at, 'latin1')
    const sum = bytes
      .subarray(0, 512)
      .fill(' ', 148, 156)
      .reduce((sum, byte) => sum + byte, 0)
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return bytes
  }
  const manifest = (json: string) => entry('manifest.json', json)

  test.each<[string, Promise<Buffer>[], RegExp]>([
    [
      'climbs',
      [entry('postgres/../../out', 'x')],
      /^The archive contains "postgres\/\.\.\/\.\.\/out", which a backup never does\.$/,
    ],
    ['climbs by a long name', [entry(`postgres/${'a/'.repeat(60)}../../../out`, 'x')], /which a backup never does\.$/],
    [
      'begins at the root',
      [entry('/etc/passwd', 'x')],
      /^The archive contains "\/etc\/passwd", which a backup never does\.$/,
    ],
    [
      'holds a link',
      [entry('storage/link', '', 'symlink')],
      /^"storage\/link" in the archive is neither a file nor a folder\.$/,
    ],
    ['holds a device', [entry('storage/device', '', 'character-device')], /is neither a file nor a folder\.$/],
    [
      'holds a folder for secrets',
      [entry('secrets.json/', '', 'directory')],
      /^The archive contains "secrets\.json\/", which a backup never does\.$/,
    ],
    [
      'holds a file for a folder',
      [entry('storage', 'x')],
      /^The archive contains "storage" as a file, which a backup never does\.$/,
    ],
    [
      'holds a file twice',
      [entry('storage/a', 'x'), entry('storage/a', 'y')],
      /storage\.restoring\/a exists already\.$/,
    ],
    [
      'has no size',
      [changed(entry('postgres/PG_VERSION'), 124, 'x'.repeat(11))],
      /archive\.tar\.gz is damaged, or not an archive/,
    ],
    [
      'holds more than fits on the disk',
      [changed(entry('storage/a'), 124, '\x80\0\0\0\0\x04\0\0\0\0\0\0')],
      /^.*archive\.tar\.gz holds more than the disk has room for\. Nothing was changed\.$/,
    ],
    ['has no manifest', [entry('postgres/PG_VERSION', '18')], /has no manifest: /],
    [
      'has a manifest that is none',
      [manifest('{')],
      /^The manifest of the archive is damaged\. Nothing was changed\.$/,
    ],
    ['has a manifest of nothing', [manifest('{"format": 1}')], /has no manifest: /],
    ['has a manifest of null', [manifest('null')], /has no manifest: /],
    [
      'goes on after the manifest',
      [manifest('{"format": 1, "files": []}'), entry('storage/a', 'x')],
      /^The archive contains "storage\/a" after its manifest\.$/,
    ],
    [
      'says less than it holds',
      [entry('storage/a', 'x'), manifest('{"format": 1, "files": []}')],
      /contains files that its manifest does not name\. Nothing was changed\.$/,
    ],
    ['holds no database', [manifest('{"format": 1, "files": []}')], /contains no database\. Nothing was changed\.$/],
  ])('and %s is refused, and nothing is left of it', async (_, entries, why) => {
    const archive = join(folder, 'archive.tar.gz')
    writeFileSync(archive, gzipSync(Buffer.concat([...(await Promise.all(entries)), end])))
    const data = join(folder, 'data')
    expect(await run(['restore', archive], { env: { LRS_DATA_DIR: data } })).toEqual(failed(why))
    expect(execFileSync('find', [folder, '-type', 'f'], { encoding: 'utf8' }).trim()).toBe(archive)
  })

  test('and holds more entries than its bound is refused, however small they are', () => {
    const count = countEntries('a.tar.gz', 1e9, 1_000)
    for (let n = 0; n < 1_000; n++) count(0)
    expect(() => count(0)).toThrow(/^a\.tar\.gz holds more than 1,000 files\. Nothing was changed\.$/)
    const empty = countEntries('a.tar.gz', 10 * 4_096)
    for (let n = 0; n < 10; n++) empty(0)
    expect(() => empty(0)).toThrow(/^a\.tar\.gz holds more than the disk has room for\. Nothing was changed\.$/)
  })
})
