import { BadBoxes, boxesOf, onlyBox, versioned, type Box } from './boxes.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** Boxes that contain boxes, with the offset of the first one. */
const containers: Readonly<Record<string, number>> = {
  meta: versioned,
  iprp: 0,
  ipco: 0,
  moov: 0,
  trak: 0,
  mdia: 0,
  minf: 0,
  stbl: 0,
  stsd: 8,
}

/**
 * The largest size that any box of the image, its parts, previews or tracks names. Undefined: no box names a size, or
 * there are two boxes for sizes. @throws RangeError
 */
export function avifSize(bytes: Buffer): Size | undefined {
  const sizes: Size[] = []
  const walk = (from: number, to: number): void => {
    for (const box of boxesOf(bytes, from, to)) {
      const size = sizeIn(bytes, box)
      if (size) sizes.push(size)
      const inside = containers[box.kind]
      if (inside !== undefined) walk(box.content + inside, box.end)
    }
  }
  try {
    onlyBox(bytes, 0, bytes.length, 'meta')
    onlyBox(bytes, 0, bytes.length, 'moov')
    walk(0, bytes.length)
  } catch (error) {
    if (error instanceof BadBoxes) return undefined
    throw error
  }
  if (sizes.length === 0) return undefined
  return {
    width: sizes.reduce((most, { width }) => Math.max(most, width), 0),
    height: sizes.reduce((most, { height }) => Math.max(most, height), 0),
  }
}

function sizeIn(bytes: Buffer, { kind, content }: Box): Size | undefined {
  if (kind === 'ispe')
    return { width: bytes.readUInt32BE(content + versioned), height: bytes.readUInt32BE(content + versioned + 4) }
  if (kind === 'av01') return { width: bytes.readUInt16BE(content + 24), height: bytes.readUInt16BE(content + 26) }
  if (kind !== 'tkhd') return undefined
  const at = content + (bytes.readUInt8(content) === 1 ? 88 : 76)
  return { width: bytes.readUInt16BE(at), height: bytes.readUInt16BE(at + 4) }
}

/** Boxes of the file that an image needs; what is in others is overwritten. */
const needed = new Set(['ftyp', 'meta', 'moov', 'mdat'])

/**
 * The same image with zeros where Exif, XMP and boxes of programs were, so that nothing else moves.
 * @throws BadBoxes, RangeError
 */
export function avifWithoutMetadata(bytes: Buffer): Buffer {
  const clean = Buffer.from(bytes)
  for (const box of boxesOf(bytes, 0, bytes.length)) {
    if (needed.has(box.kind)) continue
    clean.fill(0, box.content, box.end)
    clean.write('free', box.start + 4, 'latin1')
  }
  const meta = onlyBox(bytes, 0, bytes.length, 'meta')
  if (!meta) return clean
  const inMeta = (kind: string) => onlyBox(bytes, meta.content + versioned, meta.end, kind)
  const [infos, places, data] = [inMeta('iinf'), inMeta('iloc'), inMeta('idat')]
  const gone = infos ? metadataItems(bytes, infos) : new Set<number>()
  if (gone.size === 0) return clean
  if (!places) throw new BadBoxes()
  for (const { item, inData, start, length } of extentsOf(bytes, places)) {
    if (!gone.has(item)) continue
    const from = inData ? (data?.content ?? Infinity) + start : start
    // 0: up to the end
    const to = length === 0 ? bytes.length : from + length
    if (!(to <= bytes.length)) throw new BadBoxes()
    clean.fill(0, from, to)
  }
  return clean
}

/** Items of Exif, and of other types than pictures, such as XMP. */
function metadataItems(bytes: Buffer, { content, end }: Box): Set<number> {
  const first = content + versioned + (bytes.readUInt8(content) === 0 ? 2 : 4)
  const found = new Set<number>()
  for (const info of boxesOf(bytes, first, end)) {
    const version = bytes.readUInt8(info.content)
    const at = info.content + versioned
    const wide = version >= 3 ? 4 : 2
    const kind = bytes.toString('latin1', at + wide + 2, at + wide + 6)
    if (['Exif', 'mime', 'uri '].includes(kind)) found.add(bytes.readUIntBE(at, wide))
  }
  return found
}

interface Extent {
  readonly item: number
  /** In the box `idat`, not in the file. */
  readonly inData: boolean
  readonly start: number
  readonly length: number
}

function* extentsOf(bytes: Buffer, { content }: Box): Generator<Extent> {
  const version = bytes.readUInt8(content)
  let at = content + versioned
  const number = (size: number): number => {
    if (size > 6) at += size - 6
    const value = size === 0 ? 0 : bytes.readUIntBE(at, Math.min(size, 6))
    at += Math.min(size, 6)
    return value
  }
  const [sizes, more] = [number(1), number(1)]
  const items = number(version < 2 ? 2 : 4)
  for (let n = 0; n < items; n++) {
    const item = number(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : number(2) & 15
    if (method > 1) throw new BadBoxes()
    number(2)
    const base = number(more >> 4)
    for (let left = number(2); left > 0; left--) {
      // one that takes no bytes could be repeated without an end
      if (sizes === 0) throw new BadBoxes()
      if (version > 0) number(more & 15)
      const start = base + number(sizes >> 4)
      yield { item, inData: method === 1, start, length: number(sizes & 15) }
    }
  }
}
