/**
 * The image without what a camera or a program wrote beside it, such as the place: Exif, XMP, IPTC, comments. How a
 * photo is to be turned stays, and so do colour profiles. GIF and AVIF stay as they are.
 * @param bytes of an image whose size could be read (image-size.ts)
 */
export function withoutMetadata(contentType: string, bytes: Buffer): Buffer {
  try {
    return strippers[contentType]?.(bytes) ?? bytes
  } catch (error) {
    // cut off behind the size: browsers show what there is
    if (error instanceof RangeError) return bytes
    throw error
  }
}

const strippers: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'image/jpeg': jpeg,
  'image/png': png,
  'image/webp': webp,
}

/** Bytes that go, and what comes in their place. */
interface Cut {
  readonly start: number
  readonly end: number
  readonly by?: Buffer
}

/** Of an honest image; one with more stays as it is. */
const mostCuts = 1_000

function without(bytes: Buffer, cuts: readonly Cut[]): Buffer {
  if (cuts.length === 0 || cuts.length > mostCuts) return bytes
  const ends = [0, ...cuts.map(({ end }) => end)]
  const pieces = cuts.flatMap(({ start, by }, n) => [bytes.subarray(ends[n], start), ...(by ? [by] : [])])
  return Buffer.concat([...pieces, bytes.subarray(ends.at(-1))])
}

/** Segments before the scan: APP1 (Exif, XMP), APP3 to APP13 (IPTC and others), APP15 and comments go. */
function jpeg(bytes: Buffer): Buffer {
  const cuts: Cut[] = []
  let start = 2
  while (cuts.length <= mostCuts && bytes.readUInt8(start) === 0xff) {
    const marker = bytes.readUInt8(start + 1)
    // from the scan on: all of it
    if (marker === 0xda) break
    const end = marker === 0xff ? start + 1 : start + 2 + bytes.readUInt16BE(start + 2)
    if (marker === 0xe1) cuts.push({ start, end, by: turning(bytes.subarray(start, end)) })
    else if (marker === 0xfe || (marker >= 0xe3 && marker <= 0xef && marker !== 0xee)) cuts.push({ start, end })
    start = end
  }
  return without(bytes, cuts)
}

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

/** Chunks with texts, Exif and times go, and what is behind the end. */
function png(bytes: Buffer): Buffer {
  const cuts: Cut[] = []
  for (let start = 8; start < bytes.length && cuts.length <= mostCuts;) {
    const kind = bytes.toString('latin1', start + 4, start + 8)
    const end = start + 12 + bytes.readUInt32BE(start)
    if (['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'].includes(kind)) cuts.push({ start, end })
    if (kind === 'IEND' && end < bytes.length) cuts.push({ start: end, end: bytes.length })
    start = kind === 'IEND' ? bytes.length : end
  }
  return without(bytes, cuts)
}

/** Exif and XMP go, and the flags that announce them. */
function webp(bytes: Buffer): Buffer {
  const cuts: Cut[] = []
  for (let start = 12; start + 8 <= bytes.length && cuts.length <= mostCuts;) {
    const size = bytes.readUInt32LE(start + 4)
    const end = start + 8 + size + (size % 2)
    if (['EXIF', 'XMP '].includes(bytes.toString('latin1', start, start + 4))) cuts.push({ start, end })
    start = end
  }
  const stripped = without(bytes, cuts)
  if (stripped === bytes) return bytes
  stripped.writeUInt32LE(stripped.length - 8, 4)
  if (stripped.toString('latin1', 12, 16) === 'VP8X') stripped.writeUInt8(stripped.readUInt8(20) & ~0b1100, 20)
  return stripped
}
