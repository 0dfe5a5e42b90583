import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip that may lie about anything. */
export interface RawEntry {
  name: string | Buffer
  content?: string | Buffer
  /** 0: stored; 8, the default: deflated; others are only claimed. */
  method?: number
  flags?: number
  /** The upper half of the external attributes: a Unix mode. */
  mode?: number
  /** What the directory says, instead of the truth. */
  says?: { size?: number; packed?: number; crc?: number; offset?: number; extra?: Buffer }
  /** What stands before the data, instead of what the directory says. */
  local?: { name?: string; size?: number; packed?: number; extra?: Buffer }
  /** Bytes instead of the compressed content. */
  data?: Buffer
  /** Takes the local header of this entry instead of having one. */
  shares?: number
}

export interface RawEnd {
  entries?: number
  start?: number
  length?: number
  comment?: string
  /** Adds the records of zip64, with these lies. */
  zip64?: { entries?: number; start?: number; length?: number; locator?: number }
  /** Stands behind the end. */
  behind?: string
}

/** Writes a zip without looking whether it makes sense. */
export function rawZip(entries: readonly RawEntry[], end: RawEnd = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  const offsets: number[] = []
  let place = 0
  const push = (...buffers: Buffer[]) => {
    for (const buffer of buffers) {
      parts.push(buffer)
      place += buffer.length
    }
  }
  for (const {
    name,
    content = '',
    method = 8,
    flags = 0x800,
    mode = 0,
    says = {},
    local = {},
    data,
    shares,
  } of entries) {
    const bytes = Buffer.from(content)
    const packed = data ?? (method === 8 ? deflateRawSync(bytes) : bytes)
    const real = { size: bytes.length, packed: packed.length, crc: crc32(bytes) }
    const said = { ...real, ...says }
    const offset = shares === undefined ? place : offsets[shares]!
    offsets.push(offset)
    if (shares === undefined) {
      const localName = Buffer.from(local.name ?? name)
      const localExtra = local.extra ?? Buffer.alloc(0)
      push(
        u32(0x04034b50),
        u16(20, flags, method, 0, 33),
        u32(said.crc, local.packed ?? said.packed, local.size ?? said.size),
        u16(localName.length, localExtra.length),
        localName,
        localExtra,
        packed,
      )
    }
    const raw = Buffer.from(name)
    const extra = says.extra ?? Buffer.alloc(0)
    directory.push(
      u32(0x02014b50),
      u16(0x031e, 20, flags, method, 0, 33),
      u32(said.crc, said.packed, said.size),
      u16(raw.length, extra.length, 0, 0, 0),
      u32((mode << 16) >>> 0, says.offset ?? offset),
      raw,
      extra,
    )
  }
  const start = place
  push(Buffer.concat(directory))
  const length = place - start
  if (end.zip64) {
    const record = place
    const { entries: count = entries.length, start: from = start, length: long = length, locator = record } = end.zip64
    push(
      u32(0x06064b50),
      u64(44),
      u16(45, 45),
      u32(0, 0),
      u64(count, count, long, from),
      u32(0x07064b50, 0),
      u64(locator),
      u32(1),
    )
  }
  const count = (end.entries ?? entries.length) & 0xffff
  const comment = Buffer.from(end.comment ?? '')
  push(
    u32(0x06054b50),
    u16(0, 0, count, count),
    u32(end.length ?? length, end.start ?? start),
    u16(comment.length),
    comment,
    Buffer.from(end.behind ?? ''),
  )
  return Buffer.concat(parts)
}

/** The extra field of zip64 with these numbers. */
export const zip64Extra = (...numbers: number[]) => Buffer.concat([u16(1, numbers.length * 8), u64(...numbers)])

function u16(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) buffer.writeUInt16LE(value, index * 2)
  return buffer
}

function u32(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, index * 4)
  return buffer
}

function u64(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 8)
  for (const [index, value] of values.entries()) buffer.writeBigUInt64LE(BigInt(value), index * 8)
  return buffer
}
