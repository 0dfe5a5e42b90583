/**
 * The image without what a camera or a program wrote beside it, such as the place: Exif, XMP, IPTC, comments. How a photo
 * is to be turned stays, and so do colour profiles. GIF and AVIF stay as they are.
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

/** Segments before the scan: APP1 (Exif, XMP), APP3 to APP13 (IPTC and others), APP15 and comments go. */
function jpeg(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 2)]
  let place = 2
  for (;;) {
    const marker = bytes.readUInt8(place + 1)
    if (marker === 0xff) {
      place++
      continue
    }
    // from the scan on, and what is no segment: all of it
    if (bytes.readUInt8(place) !== 0xff || marker === 0xda) break
    const end = place + 2 + bytes.readUInt16BE(place + 2)
    const segment = bytes.subarray(place, end)
    if (marker === 0xe1) kept.push(turning(segment))
    else if (!(marker >= 0xe3 && marker <= 0xef && marker !== 0xee) && marker !== 0xfe) kept.push(segment)
    place = end
  }
  return Buffer.concat([...kept, bytes.subarray(place)])
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
const turned = Buffer.from('ffe1002245786966' + '00004d4d002a00000008' + '0001' + '0112000300000001', 'hex')

/** Chunks with texts, Exif and times go. */
function png(bytes: Buffer): Buffer {
  const kept = [bytes.subarray(0, 8)]
  for (let place = 8; place < bytes.length;) {
    const end = place + 12 + bytes.readUInt32BE(place)
    const kind = bytes.toString('latin1', place + 4, place + 8)
    if (!['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'].includes(kind)) kept.push(bytes.subarray(place, end))
    // nothing belongs behind the end
    place = kind === 'IEND' ? bytes.length : end
  }
  return Buffer.concat(kept)
}

/** Exif and XMP go, and the flags that announce them. */
function webp(bytes: Buffer): Buffer {
  const kept: Buffer[] = []
  for (let place = 12; place + 8 <= bytes.length;) {
    const size = bytes.readUInt32LE(place + 4)
    const end = place + 8 + size + (size % 2)
    const kind = bytes.toString('latin1', place, place + 4)
    const chunk = Buffer.from(bytes.subarray(place, end))
    if (kind === 'VP8X') chunk.writeUInt8(chunk.readUInt8(8) & ~0b1100, 8)
    if (kind !== 'EXIF' && kind !== 'XMP ') kept.push(chunk)
    place = end
  }
  const all = Buffer.concat([bytes.subarray(0, 12), ...kept])
  all.writeUInt32LE(all.length - 8, 4)
  return all
}
