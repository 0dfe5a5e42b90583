import { readdir, readFile, rm, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostileZips, noise } from '../../../test/cases/packages/hostile-zips.ts'
import { rawZip, zip64Extra, type RawEntry } from '../../../test/support/zip.ts'
import { Problem } from '../../process/problem.ts'
import { checkZip } from './check-zip.ts'
import { unpack } from './unpack.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lrs-zip-'))
})
afterAll(() => rm(folder, { recursive: true }))

const maxExpanded = 10_000_000

/** What is in the zip, unpacked into memory. */
async function unpacked(zip: Buffer): Promise<Map<string, Buffer>> {
  const path = join(folder, 'game.zip')
  await writeFile(path, zip)
  const contents = new Map<string, Buffer>()
  const files = await checkZip(path, 'game.zip', maxExpanded)
  const write = async (key: string, content: Readable | Buffer, size: number) => {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content)
    expect(bytes.length).toBe(size)
    contents.set(key, bytes)
  }
  await unpack(path, files, { write }, 'to/')
  return contents
}

/** So many zeros deflate to a hundredth. */
const hundredfold = Array.from({ length: 100 }, (_, n) => n * 100).find(
  (length) => deflateRawSync(Buffer.alloc(length)).length * 100 === length,
)!

const index: RawEntry = { name: 'index.html', content: 'Quiz' }

describe('refused:', () => {
  test.for(hostileZips)('$what', async ({ zip, rule, entry }) => {
    const failure = await unpacked(zip()).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(Problem)
    const problem = failure as Problem
    expect(problem.rule).toBe(`packaging#${rule}`)
    if (entry !== undefined) expect(problem.path).toBe(entry)
    else expect(problem.path).not.toBe('')
    expect(problem.path).not.toMatch(/[\u0000-\u001f]/)
    expect(problem.path.length).toBeLessThan(220)
  })
})

test('index.html in a folder: says where it is and what to do', async () => {
  await expect(unpacked(rawZip([{ name: 'game/index.html' }]))).rejects.toThrow(
    'there is game/index.html: zip the content of the folder',
  )
  await expect(unpacked(rawZip([{ name: 'Index.html' }]))).rejects.toThrow(
    'there is Index.html: give it exactly this name',
  )
})

describe('taken:', () => {
  const large = noise(3_000_000)
  const good: Record<string, () => Buffer> = {
    'folders and files': () =>
      rawZip([
        index,
        { name: 'img/', method: 0, mode: 0o040755 },
        { name: 'img/a.png', content: 'a', mode: 0o100644 },
        { name: 'img/b/c', content: 'c' },
      ]),
    'stored and deflated, large ones too': () =>
      rawZip([index, { name: 'stored', method: 0, content: large }, { name: 'deflated', content: large }]),
    'empty files': () => rawZip([index, { name: 'a' }, { name: 'b', method: 0 }]),
    'exactly 100:1': () => rawZip([index, { name: 'a', content: Buffer.alloc(hundredfold) }]),
    'sizes that come behind the data': () =>
      rawZip([index, { name: 'a', content: 'abc', flags: 0x808, local: { size: 0, packed: 0 } }]),
    'zip64 that tells the truth': () =>
      rawZip(
        [
          index,
          {
            name: 'a',
            content: 'abc',
            method: 0,
            says: { size: 3, packed: 3 },
            local: { size: 0xffffffff, packed: 0xffffffff, extra: zip64Extra(3, 3) },
          },
        ],
        { zip64: {}, entries: 0xffff, start: 0xffffffff, length: 0xffffffff },
      ),
    'names in many scripts, without the flag for UTF-8': () =>
      rawZip([index, { name: 'résumé/日本語.txt', content: 'x', flags: 0 }]),
    'a comment': () => rawZip([index], { comment: 'made by hand' }),
    '10,000 entries': () =>
      rawZip([index, ...Array.from({ length: 9_999 }, (_, n): RawEntry => ({ name: `f${n}`, method: 0 }))]),
  }
  test.for(Object.keys(good))('%s', async (what) => {
    const contents = await unpacked(good[what]!())
    expect(contents.get('to/index.html')!.toString()).toBe('Quiz')
    if (what === 'folders and files')
      expect([...contents.keys()].sort()).toEqual(['to/img/a.png', 'to/img/b/c', 'to/index.html'])
    if (what.startsWith('stored'))
      for (const name of ['stored', 'deflated']) expect(contents.get(`to/${name}`)!.equals(large)).toBe(true)
    if (what === '10,000 entries') expect(contents.size).toBe(10_000)
  })
})

test('one byte more than 100:1 is refused', async () => {
  expect(deflateRawSync(Buffer.alloc(hundredfold + 1)).length).toBe(hundredfold / 100)
  await expect(unpacked(rawZip([index, { name: 'a', content: Buffer.alloc(hundredfold + 1) }]))).rejects.toThrow(
    'at most 100 times',
  )
})

test('writes what a common program wrote', async () => {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const sources = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.ts'))
  for (const name of sources) zip.addFile(join(import.meta.dirname, name), `source/${name}`)
  zip.addBuffer(Buffer.from('Quiz'), 'index.html')
  zip.addEmptyDirectory('empty')
  zip.end()
  const contents = await unpacked(await buffer(zip.outputStream))
  for (const name of sources)
    expect(contents.get(`to/source/${name}`)!.equals(await readFile(join(import.meta.dirname, name)))).toBe(true)
})
