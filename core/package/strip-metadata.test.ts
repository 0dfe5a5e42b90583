import { deflateSync, crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { imageSize } from './image-size.ts'
import { withoutMetadata } from './strip-metadata.ts'

const secret = 'GPS 52.52 N 13.40 E'
const segment = (marker: number, content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content)
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([head, bytes])
}
/** TIFF with a place and an orientation. */
const exif = (turn: number, little: boolean): Buffer => {
  const tiff = Buffer.alloc(8 + 2 + 24 + 4)
  const short = (value: number, at: number) => (little ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at))
  const long = (value: number, at: number) => (little ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at))
  tiff.write(little ? 'II' : 'MM', 0, 'latin1')
  short(42, 2)
  long(8, 4)
  short(2, 8)
  for (const [n, tag, value] of [
    [0, 0x8825, 9],
    [1, 0x112, turn],
  ] as const) {
    short(tag, 10 + n * 12)
    short(3, 12 + n * 12)
    long(1, 14 + n * 12)
    short(value, 18 + n * 12)
  }
  return Buffer.concat([Buffer.from('Exif\0\0'), tiff, Buffer.from(secret)])
}
const frame = segment(0xc0, Buffer.from([8, 0, 20, 0, 10, 1, 1, 0x11, 0]))
const scan = Buffer.concat([
  segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
  Buffer.from('data'),
  Buffer.from([0xff, 0xd9]),
])
const start = Buffer.from([0xff, 0xd8])
const profile = segment(0xe2, 'ICC_PROFILE')
const photo = (turn: number, little: boolean) =>
  Buffer.concat([
    start,
    segment(0xe0, 'JFIF'),
    segment(0xe1, exif(turn, little)),
    segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${secret}`),
    profile,
    segment(0xed, secret),
    segment(0xfe, secret),
    frame,
    scan,
  ])

test.each([true, false])(
  'a photo keeps its pixels, its colours and how it is turned, and no place (little endian: %s)',
  (little) => {
    const plain = withoutMetadata('image/jpeg', photo(1, little))
    expect(plain).toEqual(Buffer.concat([start, segment(0xe0, 'JFIF'), profile, frame, scan]))
    const turned = withoutMetadata('image/jpeg', photo(6, little))
    expect(turned.includes(secret)).toBe(false)
    expect(imageSize('image/jpeg', turned)).toEqual({ width: 10, height: 20 })
    // the segment that is left says 6, and stripping it again changes nothing
    expect(turned.includes(Buffer.from('01120003000000010006', 'hex'))).toBe(true)
    expect(withoutMetadata('image/jpeg', turned)).toEqual(turned)
  },
)

const chunk = (kind: string, content: Buffer | string): Buffer => {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), Buffer.from(content)])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(body.length - 4)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

test('a PNG keeps its pixels and its colours, and no text, Exif or time', () => {
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const needed = [
    chunk('IHDR', Buffer.from('0000000100000001080600000000', 'hex').subarray(0, 13)),
    chunk('gAMA', Buffer.from([0, 0, 0, 1])),
    chunk('IDAT', deflateSync(Buffer.alloc(5))),
    chunk('IEND', ''),
  ]
  const further = ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'].map((kind) => chunk(kind, secret))
  const [head, ...rest] = needed
  const full = Buffer.concat([signature, head!, ...further, ...rest, Buffer.from(secret)])
  expect(withoutMetadata('image/png', full)).toEqual(Buffer.concat([signature, ...needed]))
})

test('a WebP loses Exif and XMP, and what announces them', () => {
  const part = (kind: string, content: Buffer): Buffer => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(content.length)
    return Buffer.concat([Buffer.from(kind), size, content, Buffer.alloc(content.length % 2)])
  }
  const file = (flags: number, ...parts: Buffer[]): Buffer => {
    const extended = part('VP8X', Buffer.from([flags, 0, 0, 0, 9, 0, 0, 19, 0, 0]))
    return part('RIFF', Buffer.concat([Buffer.from('WEBP'), extended, ...parts]))
  }
  const pixels = part('VP8 ', Buffer.from('odd'))
  const full = file(0b101100, pixels, part('EXIF', Buffer.from(secret)), part('XMP ', Buffer.from(secret)))
  expect(withoutMetadata('image/webp', full)).toEqual(file(0b100000, pixels))
})

test('an image of a million segments takes little time, and stays as it is', () => {
  const many = Buffer.concat([start, Buffer.alloc(4_000_000, Buffer.from('fffe0002', 'hex')), frame, scan])
  expect(withoutMetadata('image/jpeg', many)).toBe(many)
})

test('what is cut off stays as it is', () => {
  for (const [type, bytes] of [
    ['image/jpeg', photo(6, true).subarray(0, 60)],
    ['image/gif', Buffer.from('GIF89a')],
  ] as const)
    expect(withoutMetadata(type, bytes)).toBe(bytes)
})
