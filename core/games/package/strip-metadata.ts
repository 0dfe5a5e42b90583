import { avifWithoutMetadata } from './avif.ts'
import { BadBoxes } from './boxes.ts'

/**
 * The image without what a camera or a program wrote beside it, such as the place: Exif, XMP, IPTC, comments, further
 * pictures, and what is behind its end. Only what a decoder needs is kept, colour profiles, and how a photo is to be
 * turned. Undefined: that cannot be told apart.
 * @param bytes of an image whose size could be read (image-size.ts)
 */
export function withoutMetadata(contentType: string, bytes: Buffer): Buffer | undefined {
  try {
    const stripper = strippers[contentType]
    return stripper ? stripper(bytes) : bytes
  } catch (error) {
    if (error instanceof RangeError || error instanceof BadBoxes) return undefined
    throw error
  }
}

const strippers: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>> = {
  'image/jpeg': jpeg,
  'image/png': png,
  'image/webp': webp,
  'image/gif': gif,
  'image/avif': avifWithoutMetadata,
}

/** Bytes that go, and what comes in their place. */
interface Cut {
  readonly start: number
  readonly end: number
  readonly by?: Buffer
}

/** Of an honest image. */
const mostCuts = 10_000

function without(bytes: Buffer, cuts: readonly Cut[]): Buffer | undefined {
  if (cuts.length === 0) return bytes
  if (cuts.length > mostCuts) return undefined
  const ends = [0, ...cuts.map(({ end }) => end)]
  const pieces = cuts.flatMap(({ start, by }, n) => [bytes.subarray(ends[n], start), ...(by ? [by] : [])])
  return Buffer.concat([...pieces, bytes.subarray(ends.at(-1))])
}

/** Segments that a decoder needs: frames, tables, intervals, heights, scans, and the colours that Adobe means. */
const isNeeded = (marker: number): boolean =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) || [0xda, 0xdb, 0xdc, 0xdd, 0xee].includes(marker)

function jpeg(bytes: Buffer): Buffer | undefined {
  const cuts: Cut[] = []
  let start = 2
  while (start < bytes.length && cuts.length <= mostCuts) {
    if (bytes[start] !== 0xff) return undefined
    const marker = bytes.readUInt8(start + 1)
    if (marker === 0xff) {
      start++
      continue
    }
    if (marker === 0xd9) {
      if (start + 2 < bytes.length) cuts.push({ start: start + 2, end: bytes.length })
      break
    }
    const length = bytes.readUInt16BE(start + 2)
    const end = start + 2 + length
    if (length < 2 || end > bytes.length) return undefined
    const segment = bytes.subarray(start, end)
    const is = (name: string) => segment.toString('latin1', 4, 4 + name.length) === name
    if (marker === 0xe1) cuts.push({ start, end, by: turning(segment) })
    else if (marker === 0xe0 && is('JFIF\0') && length >= 16) {
      // a preview may follow
      if (length > 16) cuts.push({ start, end, by: withoutPreview(segment) })
    } else if (!isNeeded(marker) && !(marker === 0xe2 && is('ICC_PROFILE\0'))) cuts.push({ start, end })
    start = marker === 0xda ? endOfScan(bytes, end) : end
  }
  return without(bytes, cuts)
}

/** The next segment: 0xff is followed by 0 in a scan, or by the number of a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1]
    if (next !== undefined && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return bytes.length
}

const withoutPreview = (segment: Buffer): Buffer =>
  Buffer.concat([Buffer.from('ffe00010', 'hex'), segment.subarray(4, 16), Buffer.from([0, 0])])

/** The shortest Exif segment that turns the photo as this one does; empty: it does not turn it. */
function turning(segment: Buffer): Buffer {
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0') return Buffer.alloc(0)
  const tiff = segment.subarray(10)
  const little = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const long = (at: number) => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  try {
    const first = long(4)
    for (let entry = 0; entry < short(first); entry++) {
      const at = first + 2 + entry * 12
      const turn = short(at) === 0x112 ? short(at + 8) : 1
      if (turn > 1 && turn <= 8) return Buffer.concat([turned, Buffer.from([0, turn, 0, 0, 0, 0, 0, 0])])
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return Buffer.alloc(0)
}

/** A segment of 34 bytes, Exif, one entry: orientation, a short, once. */
const turned = Buffer.from('ffe100224578696600004d4d002a0000000800010112000300000001', 'hex')

/** Chunks of pixels, colours, transparency, size and animation. */
const neededChunks = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs acTL fcTL fdAT'.split(' '),
)

function png(bytes: Buffer): Buffer | undefined {
  const cuts: Cut[] = []
  for (let start = 8; start < bytes.length && cuts.length <= mostCuts;) {
    const isWhole = start + 12 <= bytes.length
    const kind = isWhole ? bytes.toString('latin1', start + 4, start + 8) : ''
    // one that is cut off ends with the file
    const end = isWhole ? Math.min(start + 12 + bytes.readUInt32BE(start), bytes.length) : bytes.length
    if (!neededChunks.has(kind)) cuts.push({ start, end })
    if (kind === 'IEND' && end < bytes.length) cuts.push({ start: end, end: bytes.length })
    start = kind === 'IEND' ? bytes.length : end
  }
  return without(bytes, cuts)
}

const neededParts = new Set(['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])

/** Exif, XMP and unknown parts go, the flags that announce them, and what is behind the end. */
function webp(bytes: Buffer): Buffer | undefined {
  const cuts: Cut[] = []
  const last = Math.min(8 + bytes.readUInt32LE(4), bytes.length)
  for (const { kind, start, end } of partsOf(bytes, 12, last)) {
    if (!neededParts.has(kind)) cuts.push({ start, end })
    if (cuts.length > mostCuts) return undefined
    // a frame of an animation has parts of its own, behind 16 bytes
    if (kind === 'ANMF')
      for (const part of partsOf(bytes, start + 24, end)) if (!/^(ALPH|VP8 |VP8L)$/.test(part.kind)) return undefined
  }
  if (last < bytes.length) cuts.push({ start: last, end: bytes.length })
  const stripped = without(bytes, cuts)
  if (stripped === bytes || !stripped) return stripped
  stripped.writeUInt32LE(stripped.length - 8, 4)
  if (stripped.toString('latin1', 12, 16) === 'VP8X') stripped.writeUInt8(stripped.readUInt8(20) & ~0b1100, 20)
  return stripped
}

function* partsOf(bytes: Buffer, from: number, to: number): Generator<Cut & { readonly kind: string }> {
  for (let start = from; start < to;) {
    const isWhole = start + 8 <= to
    const size = isWhole ? bytes.readUInt32LE(start + 4) : 0
    const end = isWhole ? Math.min(start + 8 + size + (size % 2), to) : to
    yield { kind: isWhole ? bytes.toString('latin1', start, start + 4) : '', start, end }
    start = end
  }
}

/** Comments, texts and what programs added go, except for how often an animation plays. */
function gif(bytes: Buffer): Buffer | undefined {
  const cuts: Cut[] = []
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let start = 13 + colours(bytes.readUInt8(10))
  while (start < bytes.length && cuts.length <= mostCuts) {
    const kind = bytes[start]
    if (kind !== 0x21 && kind !== 0x2c) {
      // the end, or what is no block
      const end = start + (kind === 0x3b ? 1 : 0)
      if (end < bytes.length) cuts.push({ start: end, end: bytes.length })
      break
    }
    const label = kind === 0x21 ? bytes.readUInt8(start + 1) : undefined
    let end = label === undefined ? start + 11 + colours(bytes.readUInt8(start + 9)) : start + 2
    while (end < bytes.length && bytes[end] !== 0) end += 1 + bytes[end]!
    end = Math.min(end + 1, bytes.length)
    const plays =
      label === 0xff && /^(NETSCAPE2\.0|ANIMEXTS1\.0)$/.test(bytes.toString('latin1', start + 3, start + 14))
    if (label !== undefined && label !== 0xf9 && !plays) cuts.push({ start, end })
    start = end
  }
  return without(bytes, cuts)
}
