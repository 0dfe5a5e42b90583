import type { FileHandle } from 'node:fs/promises'

/** Where the directory of a zip is and how many entries it says it has. */
export interface ZipEnd {
  readonly entries: number
  readonly start: number
  /** Where the directory ends: there the records begin that tell about it. */
  readonly end: number
}

const endSize = 22
const locatorSize = 20
const end64Size = 56

/**
 * Reads the end record of a zip. If there is a zip64 record as well, both must agree; yauzl does not compare them.
 * @returns undefined if the record is damaged or contradicts itself
 */
export async function readZipEnd(file: FileHandle, size: number, commentLength: number): Promise<ZipEnd | undefined> {
  const at = size - endSize - commentLength
  const tail = await read(file, Math.max(0, at - locatorSize), at < 0 ? 0 : endSize + Math.min(at, locatorSize))
  if (!tail) return undefined
  const end = tail.subarray(tail.length - endSize)
  const [disk, startDisk, here, entries] = [4, 6, 8, 10].map((place) => end.readUInt16LE(place)) as [
    number,
    number,
    number,
    number,
  ]
  const [length, start] = [end.readUInt32LE(12), end.readUInt32LE(16)]
  const has64 = tail.length === endSize + locatorSize && tail.readUInt32LE(0) === 0x07064b50
  if (!has64) {
    const whole = disk === 0 && startDisk === 0 && here === entries && start + length === at
    return whole ? { entries, start, end: at } : undefined
  }
  const end64At = at - locatorSize - end64Size
  const end64 = await read(file, end64At, end64Size)
  if (!end64 || end64.readUInt32LE(0) !== 0x06064b50 || tail.readBigUInt64LE(8) !== BigInt(end64At)) return undefined
  const [recordSize, here64, entries64, length64, start64] = [4, 24, 32, 40, 48].map((place) =>
    Number(end64.readBigUInt64LE(place)),
  ) as [number, number, number, number, number]
  const whole =
    recordSize === end64Size - 12 &&
    here64 === entries64 &&
    start64 + length64 === end64At &&
    [16, 20].every((place) => end64.readUInt32LE(place) === 0) &&
    same(entries, entries64, 0xffff) &&
    same(here, entries64, 0xffff) &&
    same(length, length64, 0xffffffff) &&
    same(start, start64, 0xffffffff)
  return whole ? { entries: entries64, start: start64, end: end64At } : undefined
}

/** The short form says what the long one says, or that it leaves it to that. */
const same = (short: number, long: number, left: number) => short === left || short === long

/** Undefined: there are not so many bytes. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer | undefined> {
  if (position < 0 || length < endSize) return undefined
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return bytesRead === length ? buffer : undefined
}
