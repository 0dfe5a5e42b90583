/** An entry of a zip without times and with plain files only: the same files always give the same bytes. */
export interface ZipEntry {
  readonly name: Buffer
  /** Of its header, from the start of the zip. */
  readonly offset: number
  /** 0: stored; 8: deflated. */
  readonly method: 0 | 8
  readonly crc: number
  /** Bytes in the zip. */
  readonly packed: number
  readonly size: number
}

const headerBytes = 30
/** The first day of zip: a time must not change the bytes. */
const firstDay = 0x0021
const utf8 = 0x0800
const regularFile = 0o100644

/** Bytes before the content of an entry. */
export const beforeContent = ({ name }: Pick<ZipEntry, 'name'>): number => headerBytes + name.length

/** What stands before the content (APPNOTE 4.3.7). */
export function localHeader(entry: ZipEntry): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32LE(0x04034b50, 0)
  common(entry).copy(header, 4)
  header.writeUInt16LE(entry.name.length, 26)
  return Buffer.concat([header, entry.name])
}

/** The directory and its end, which stand after all entries (APPNOTE 4.3.12, 4.3.16). @param start where it stands */
export function directoryOf(entries: readonly ZipEntry[], start: number): Buffer {
  const directory = Buffer.concat(entries.map(directoryEntry))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(start, 16)
  return Buffer.concat([directory, end])
}

/** What both headers of an entry have: from the version to the size. */
function common({ method, crc, packed, size }: ZipEntry): Buffer {
  const part = Buffer.alloc(22)
  part.writeUInt16LE(20, 0)
  part.writeUInt16LE(utf8, 2)
  part.writeUInt16LE(method, 4)
  part.writeUInt16LE(firstDay, 8)
  part.writeUInt32LE(crc, 10)
  part.writeUInt32LE(packed, 14)
  part.writeUInt32LE(size, 18)
  return part
}

function directoryEntry(entry: ZipEntry): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(0x0314, 4)
  common(entry).copy(header, 6)
  header.writeUInt16LE(entry.name.length, 28)
  header.writeUInt32LE(regularFile * 0x10000, 38)
  header.writeUInt32LE(entry.offset, 42)
  return Buffer.concat([header, entry.name])
}
