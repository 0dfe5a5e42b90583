import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { rawZip } from '../../../test/support/zip.ts'
import { documentType, imageType, isDesktopPackage, whatIsNoDocument, whatIsNoPackage } from './sniff.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))))
const png = (width: number, height: number) =>
  bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', u32(width), u32(height), [8, 6, 0, 0, 0])
const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const jpeg = bytes('\xff\xd8\xff\xe0', [0, 4, 1, 2], '\xff\xff\xc2', [0, 17, 8, 1, 44, 2, 88], 'rest')

describe('images by their bytes', () => {
  const images: Record<string, [Buffer, string, number, number]> = {
    png: [png(640, 480), 'image/png', 640, 480],
    jpeg: [jpeg, 'image/jpeg', 600, 300],
    gif: [bytes('GIF89a', [64, 1, 200, 0]), 'image/gif', 320, 200],
    'webp, lossy': [
      bytes('RIFF....WEBPVP8 ', [0, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 64, 1, 200, 0]),
      'image/webp',
      320,
      200,
    ],
    'webp, lossless': [bytes('RIFF....WEBPVP8L', [0, 0, 0, 0, 0x2f, 0x3f, 0xc1, 0x31, 0]), 'image/webp', 320, 200],
    'webp, extended': [
      bytes('RIFF....WEBPVP8X', [10, 0, 0, 0, 0, 0, 0, 0, 63, 1, 0, 199, 0, 0]),
      'image/webp',
      320,
      200,
    ],
    avif: [
      bytes([0, 0, 0, 12], 'ftypavif', [0, 0, 0, 20], 'ispe', [0, 0, 0, 0], u32(320), u32(200)),
      'image/avif',
      320,
      200,
    ],
  }
  test.for(Object.entries(images))('%s', ([, [content, contentType, width, height]]) => {
    expect(imageType(content)).toEqual({ contentType, width, height })
    for (let length = 0; length < content.length; length++) imageType(content.subarray(0, length))
  })

  const others: Record<string, Buffer> = {
    svg: bytes('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    'svg as xml': bytes('<?xml version="1.0"?><svg/>'),
    html: bytes('<!doctype html><script>alert(1)</script>'),
    'html behind a space': bytes(' <html>'),
    bmp: bytes('BM', [0, 0, 0, 0]),
    'png without a header': bytes('\x89PNG\r\n\x1a\n'),
    'png of no width': png(0, 10),
    'jpeg without a frame': bytes('\xff\xd8\xff\xd9'),
    'jpeg of segments without an end': bytes('\xff\xd8', '\xff\xe0\0\0'.repeat(10)),
    nothing: Buffer.alloc(0),
  }
  test.for(Object.entries(others))('not: %s', ([, content]) => expect(imageType(content)).toBeUndefined())
})

describe('documents by name and bytes', () => {
  const office = (name: string) => rawZip([{ name: '[Content_Types].xml' }, { name }])
  const open = (type: string) => rawZip([{ name: 'mimetype', content: type, method: 0 }])
  test.for<[string, Buffer, string]>([
    ['a.pdf', bytes('%PDF-1.7\n'), 'application/pdf'],
    ['A.PDF', bytes('%PDF-1.7\n'), 'application/pdf'],
    ['a.docx', office('word/document.xml'), 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    [
      'a.pptx',
      office('ppt/presentation.xml'),
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    ],
    ['a.xlsx', office('xl/workbook.xml'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['a.odt', open('application/vnd.oasis.opendocument.text'), 'application/vnd.oasis.opendocument.text'],
    ['a.txt', Buffer.from('Für Lehrkräfte'), 'text/plain; charset=utf-8'],
    ['a.md', Buffer.from('# Notes <script>'), 'text/markdown; charset=utf-8'],
  ])('%s', ([name, content, type]) => expect(documentType(name, content)).toBe(type))

  test.for<[string, Buffer]>([
    ['a.pdf', bytes('<html>')],
    ['a.docx', office('xl/workbook.xml')],
    ['a.odt', open('text/html')],
    ['a.txt', Buffer.from('a\0b')],
    ['a.txt', bytes('\xff\xfe')],
    ['a.html', bytes('<html>')],
    ['a.svg', bytes('<svg/>')],
    ['a', bytes('%PDF-1.7')],
    ['a.pdf', Buffer.alloc(0)],
    ['a.txt', Buffer.alloc(0)],
  ])('not: %s', ([name, content]) => expect(documentType(name, content)).toBeUndefined())
})

describe('desktop packages by name and bytes', () => {
  const program = Buffer.alloc(200)
  program.write('MZ')
  program.writeUInt32LE(128, 60)
  program.write('PE\0\0', 128)
  const image = Buffer.alloc(1_000)
  image.write('koly', 1_000 - 512)
  const packages: [string, Buffer][] = [
    ['game.zip', rawZip([{ name: 'a' }])],
    ['Game.EXE', program],
    ['game.msi', bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')],
    ['game.dmg', image],
    ['game.AppImage', bytes('\x7fELF', [2])],
    ['game.tar.gz', bytes('\x1f\x8b\x08')],
    ['game.tgz', bytes('\x1f\x8b\x08')],
    ['game.deb', bytes('!<arch>\ndebian-binary   ')],
    ['game.rpm', bytes('\xed\xab\xee\xdb')],
    ['game.7z', bytes('7z\xbc\xaf\x27\x1c')],
  ]
  const fits = (name: string, content: Buffer) =>
    isDesktopPackage(name, content.subarray(0, 65_536), content.subarray(-512))
  test.for(packages)('%s', ([name, content]) => {
    expect(fits(name, content)).toBe(true)
    for (const [other] of packages.filter(
      ([other, bytes]) => bytes !== content && !(other.endsWith('gz') && name.endsWith('gz')),
    )) {
      expect(fits(other, content), other).toBe(false)
    }
    expect(fits(`${name}.html`, content)).toBe(false)
  })
  test('a program without its header', () => expect(fits('a.exe', bytes('MZ'))).toBe(false))
  test('a script of this project is none', async () =>
    expect(fits('a.exe', await readFile(import.meta.filename))).toBe(false))
})

test.each([
  ['a.html', '<html>', 'must be a document: its name ends in .pdf, .docx, .pptx, .xlsx, .odt, .odp, .ods, .txt or .md'],
  ['a.txt', '', 'must not be empty'],
  ['a.pdf', 'hello', 'must be what its name says: the content is no .pdf file, or is damaged'],
  ['a.MD', '\0', 'must be text in UTF-8, as its name says: it holds a NUL'],
  [
    'a.txt',
    '\xff',
    'must be text in UTF-8, as its name says: it holds other bytes; save it again with the encoding UTF-8',
  ],
])('what is wrong with %s of %j', (name, content, what) =>
  expect(whatIsNoDocument(name, Buffer.from(content, 'latin1'))).toBe(what),
)

test('what is wrong with a package', () => {
  expect(whatIsNoPackage('a.sit')).toBe(
    'must be a package: its name ends in .zip, .exe, .msi, .dmg, .appimage, .tar.gz, .tgz, .deb, .rpm or .7z',
  )
  expect(whatIsNoPackage('a.tar.gz')).toBe('must be what its name says: the content is no .tar.gz file, or is damaged')
})
