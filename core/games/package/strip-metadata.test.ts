import { deflateSync, crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
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
const profile = segment(0xe2, 'ICC_PROFILE\0profile')
const jfif = segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0')
/** Two scans with a table between them. */
const progressive = Buffer.concat([scan.subarray(0, -2), segment(0xc4, 'table'), scan])
const strip = (type: string, bytes: Buffer): Buffer => withoutMetadata(type, bytes)!
const photo = (turn: number, little: boolean) =>
  Buffer.concat([
    start,
    jfif,
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
    const plain = strip('image/jpeg', photo(1, little))
    expect(plain).toEqual(Buffer.concat([start, jfif, profile, frame, scan]))
    const turned = strip('image/jpeg', photo(6, little))
    expect(turned.includes(secret)).toBe(false)
    expect(imageSize('image/jpeg', turned)).toEqual({ width: 10, height: 20 })
    // the segment that is left says 6, and stripping it again changes nothing
    expect(turned.includes(Buffer.from('01120003000000010006', 'hex'))).toBe(true)
    expect(strip('image/jpeg', turned)).toEqual(turned)
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
  expect(strip('image/png', full)).toEqual(Buffer.concat([signature, ...needed]))
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
  expect(strip('image/webp', full)).toEqual(file(0b100000, pixels))
})

test('what is behind the end of a photo goes: a second picture, a film, previews of other makers', () => {
  const preview = Buffer.concat([start, segment(0xe1, exif(1, true)), frame, scan])
  const full = Buffer.concat([
    start,
    segment(0xe0, Buffer.concat([Buffer.from(jfif.subarray(4, 16)), Buffer.from([1, 1]), Buffer.from(secret)])),
    segment(0xe2, `MPF\0${secret}`),
    segment(0xe0, `JFXX\0${secret}`),
    frame,
    progressive,
    preview,
    Buffer.from(`ftypmp42 ©xyz ${secret}`),
  ])
  expect(strip('image/jpeg', full)).toEqual(Buffer.concat([start, jfif, frame, progressive]))
  // restarts and stuffed bytes are of the scan
  const scans = Buffer.from('ff00ffd0ff00ffd7ffff00', 'hex')
  const odd = Buffer.concat([start, frame, segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), scans])
  expect(strip('image/jpeg', odd)).toBe(odd)
})

test('what cannot be told apart is refused', () => {
  const many = Buffer.concat([start, Buffer.alloc(4_000_000, Buffer.from('fffe0002', 'hex')), frame, scan])
  expect(withoutMetadata('image/jpeg', many)).toBeUndefined()
  const thousands = Buffer.concat([start, Buffer.alloc(20_000, Buffer.from('fffe0002', 'hex')), frame, scan])
  expect(strip('image/jpeg', thousands)).toEqual(Buffer.concat([start, frame, scan]))
  for (const bytes of [photo(6, true).subarray(0, 60), Buffer.concat([start, Buffer.from('no segment')])])
    expect(withoutMetadata('image/jpeg', bytes)).toBeUndefined()
})

test('a GIF keeps its pictures and how often it plays, and no comment or XMP', () => {
  const head = Buffer.from('GIF89a\x0a\0\x14\0\x80\0\0abcdef', 'latin1')
  const block = (label: number, ...parts: string[]) =>
    Buffer.concat([
      Buffer.from([0x21, label]),
      ...parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')])),
      Buffer.from([0]),
    ])
  const plays = block(0xff, 'NETSCAPE2.0', '\x01\0\0')
  const picture = Buffer.from('2c000000000a001400000802aabb00', 'hex')
  const needed = [plays, block(0xf9, '\0\0\0\0'), picture, Buffer.from([0x3b])]
  const full = [block(0xfe, secret), ...needed.slice(0, 2), block(0xff, 'XMP DataXMP', secret), ...needed.slice(2)]
  expect(strip('image/gif', Buffer.concat([head, ...full, Buffer.from(secret)]))).toEqual(
    Buffer.concat([head, ...needed]),
  )
})

describe('an AVIF', () => {
  const box = (kind: string, ...content: (Buffer | string)[]): Buffer => {
    const bytes = Buffer.concat([Buffer.alloc(8), ...content.map((part) => Buffer.from(part))])
    bytes.writeUInt32BE(bytes.length)
    bytes.write(kind, 4, 'latin1')
    return bytes
  }
  const numbers = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4)
    values.forEach((value, n) => bytes.writeUInt32BE(value, n * 4))
    return bytes
  }
  const ftyp = box('ftyp', 'avif', numbers(0), 'avifmif1')
  const ispe = (width: number, height: number) => box('ispe', numbers(0, width, height))
  const meta = (...sizes: Buffer[]) => box('meta', numbers(0), box('iprp', box('ipco', ...sizes)))

  test('has the largest of its sizes, wherever they are; a decoy is none', () => {
    const size = (...boxes: Buffer[]) => imageSize('image/avif', Buffer.concat([ftyp, ...boxes]))
    expect(size(meta(ispe(320, 200), ispe(100, 300)))).toEqual({ width: 320, height: 300 })
    const decoy = box('free', ispe(10, 10), Buffer.alloc(66_000))
    expect(size(decoy, meta(ispe(12_000, 12_000)))).toEqual({ width: 12_000, height: 12_000 })
    expect(size(meta(ispe(10, 10)), meta(ispe(12_000, 12_000)))).toBeUndefined()
    expect(size(decoy)).toBeUndefined()
    expect(size(meta(ispe(10, 10)).subarray(0, 30))).toBeUndefined()
  })

  test('has zeros where Exif, XMP and boxes of programs were', () => {
    const info = (id: number, kind: string) => {
      const version = Buffer.from([2, 0, 0, 0, 0, id, 0, 0])
      return box('infe', version, kind, '\0')
    }
    const infos = box('iinf', Buffer.from([0, 0, 0, 0, 0, 3]), info(1, 'av01'), info(2, 'Exif'), info(3, 'mime'))
    const whole = (exifAt: number) => {
      // one extent each, of 4 bytes: Exif in the file, XMP in `idat`
      const place = (id: number, method: number, from: number, length: number) =>
        Buffer.concat([Buffer.from([0, id, 0, method, 0, 0, 0, 1]), numbers(from, length)])
      const places = box(
        'iloc',
        Buffer.from([1, 0, 0, 0, 0x44, 0, 0, 3]),
        place(1, 0, exifAt + secret.length, 6),
        place(2, 0, exifAt, secret.length),
        place(3, 1, 0, secret.length),
      )
      const inside = [infos, places, box('idat', secret), box('iprp', box('ipco', ispe(10, 20)))]
      return Buffer.concat([
        ftyp,
        box('uuid', secret),
        box('meta', numbers(0), ...inside),
        box('mdat', secret, 'pixels'),
      ])
    }
    const bytes = whole(whole(0).length - 6 - secret.length)
    const clean = strip('image/avif', bytes)
    expect([bytes.includes(secret), clean.includes(secret), clean.length]).toEqual([true, false, bytes.length])
    expect(clean.includes('pixels')).toBe(true)
    expect(imageSize('image/avif', clean)).toEqual({ width: 10, height: 20 })
  })
})
