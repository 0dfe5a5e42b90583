import { open } from 'node:fs/promises'
import yauzl from 'yauzl'
import { inBytes, quotas } from '../../../shared/limits.ts'
import { besideName } from '../rules/packaging.ts'
import { Problem } from '../../process/problem.ts'
import { distinctNames, entryName, refused, shown } from './entry-name.ts'
import { readZipEnd } from './zip-end.ts'

/** A file in a zip, as far as that can be checked without unpacking it. */
export interface ZipFile {
  readonly name: string
  /** Where its data begin in the zip, how many bytes they are, and whether they are deflated. */
  readonly start: number
  readonly packed: number
  readonly deflated: boolean
  /** Its bytes when unpacked. */
  readonly size: number
  readonly crc: number
}

interface Listed {
  readonly entry: yauzl.Entry
  readonly name: string
  readonly folder: boolean
}

/**
 * Every entry that the directory of the zip lists, checked; the files in the order of their data.
 * @param isWhole whether they are all files of the game
 * @throws Problem
 */
export async function checkZip(
  path: string,
  fileName: string,
  maxExpanded: number,
  isWhole = true,
): Promise<ZipFile[]> {
  const zip = await openZip(path, fileName)
  try {
    const { start, end } = await directoryOf(path, fileName, zip)
    const listed = await list(zip, fileName, start, end, maxExpanded)
    if (isWhole)
      requireIndex(
        listed.filter(({ folder }) => !folder).map(({ name }) => name),
        fileName,
      )
    return await locate(zip, listed, start)
  } finally {
    zip.close()
  }
}

async function openZip(path: string, fileName: string): Promise<yauzl.ZipFile> {
  try {
    // names are decoded and sizes compared here, where a refusal can name the entry
    return await yauzl.openPromise(path, { autoClose: false, decodeStrings: false, validateEntrySizes: false })
  } catch {
    throw refused(fileName, 'must be a complete zip file', 'zip')
  }
}

async function directoryOf(path: string, fileName: string, zip: yauzl.ZipFile) {
  const file = await open(path)
  try {
    const found = await readZipEnd(file, zip.fileSize, zip.comment.length)
    if (!found) throw refused(fileName, 'must be a zip file whose end says truly where its directory is', 'zip')
    const limit = quotas.zipEntries.limit
    if (Math.max(found.entries, zip.entryCount) > limit) {
      throw refused(
        fileName,
        `must have at most ${limit.toLocaleString('en')} entries, files and folders; ` +
          `it has ${found.entries.toLocaleString('en')}`,
        'entries',
      )
    }
    return found
  } finally {
    await file.close()
  }
}

async function list(
  zip: yauzl.ZipFile,
  fileName: string,
  start: number,
  end: number,
  maxExpanded: number,
): Promise<Listed[]> {
  const listed: Listed[] = []
  const names = distinctNames()
  let place = start
  let expanded = 0
  try {
    for await (const entry of zip.eachEntry()) {
      const { name, folder } = checkEntry(entry)
      names.add(name, folder)
      listed.push({ entry, name, folder })
      place += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
      expanded += entry.uncompressedSize
      if (expanded > maxExpanded)
        throw refused(name, `must not bring all files together over ${inBytes(maxExpanded)}`, 'expansion')
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    const what = (error as Error).message
    if (what.includes('encryption')) throw refused(`entry ${listed.length + 1}`, 'must not be encrypted', 'encrypted')
    throw refused(
      fileName,
      `must be a zip file with a whole directory; entry ${listed.length + 1} cannot be read (${shown(what)})`,
      'zip',
    )
  }
  if (place !== end)
    throw refused(fileName, 'must be a zip file whose directory has as many entries as its end says', 'zip')
  return listed
}

const [typeMask, regular, directory, link] = [0o170000, 0o100000, 0o040000, 0o120000]

/** What one entry says of itself. */
function checkEntry(entry: yauzl.Entry): { name: string; folder: boolean } {
  const { name, folder } = entryName(entry.fileNameRaw)
  const bad = (what: string, rule: Parameters<typeof refused>[2]) => refused(name, what, rule)
  if (
    entry.extraFieldLength + entry.fileCommentLength > besideName.bytes ||
    entry.extraFields.length > besideName.fields
  ) {
    throw bad(
      `must have at most ${inBytes(besideName.bytes)} of comment and extra fields, and ${besideName.fields} of these`,
      'zip',
    )
  }
  const renames = entry.extraFields.some(({ id, data }) => id === 0x7075 && !data.subarray(5).equals(entry.fileNameRaw))
  if (renames) throw bad('must not have a second name in its extra fields', 'name')
  const type = (entry.externalFileAttributes >>> 16) & typeMask
  if (type === link) throw bad('must not be a symbolic link', 'symlink')
  if (type !== 0 && type !== (folder ? directory : regular))
    throw bad('must be a file or a folder, with / at the end of its name', 'special')
  // encrypted, patched data, strong encryption, hidden headers
  if (entry.generalPurposeBitFlag & 0x2061) throw bad('must not be encrypted', 'encrypted')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    throw bad('must be stored or compressed with deflate', 'compression')
  if (entry.extraFields.filter(({ id }) => id === 1).length > 1) throw bad('must tell its size once', 'sizes')
  const { compressedSize: packed, uncompressedSize: size } = entry
  if (![packed, size, entry.relativeOffsetOfLocalHeader].every(Number.isSafeInteger))
    throw bad('must have a size that is possible', 'sizes')
  if (folder && size > 0) throw bad('must be empty, because it is a folder', 'sizes')
  if (size > packed * quotas.zipRatio.limit) {
    throw bad(
      `must expand to at most ${quotas.zipRatio.limit} times its size in the zip; ` +
        `it would be ${size} bytes from ${packed}`,
      'ratio',
    )
  }
  if (entry.compressionMethod === 0 && size !== packed)
    throw bad('must have the same size inside and outside of the zip, because it is stored', 'sizes')
  return { name, folder }
}

/** @throws Problem unless the game has a page to start with */
export function requireIndex(files: readonly string[], fileName: string): void {
  if (files.includes('index.html')) return
  const near = files.find((name) => /(^|\/)index\.html?$/i.test(name))
  const advice = near?.includes('/') ? 'zip the content of the folder, not the folder' : 'give it exactly this name'
  const hint = near ? `; there is ${shown(near)}: ${advice}` : ''
  throw refused(fileName, `must have a file index.html at the top${hint}`, 'index')
}

/** Finds the data of every entry: each has its own, before the directory, and says there what the directory says. */
async function locate(zip: yauzl.ZipFile, listed: readonly Listed[], directoryStart: number): Promise<ZipFile[]> {
  const inOrder = listed.toSorted((a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader)
  const files: ZipFile[] = []
  for (const [index, { entry, name, folder }] of inOrder.entries()) {
    const after = inOrder[index + 1]
    const limit = Math.min(after?.entry.relativeOffsetOfLocalHeader ?? directoryStart, directoryStart)
    const overlap = () =>
      refused(
        after?.name ?? name,
        after ? `must not share bytes of the zip with ${shown(name)}` : 'must lie before the directory of the zip',
        'overlap',
      )
    if (entry.relativeOffsetOfLocalHeader + 30 + entry.fileNameLength + entry.compressedSize > limit) throw overlap()
    const local = await zip.readLocalFileHeaderPromise(entry).catch(() => {
      throw refused(name, 'must have its data where the zip says they are', 'sizes')
    })
    if (local.fileDataStart + entry.compressedSize > limit) throw overlap()
    if (!agree(entry, local))
      throw refused(name, 'must have the same name, size and kind in both places where the zip tells them', 'sizes')
    if (folder) continue
    const { compressedSize: packed, uncompressedSize: size, crc32: crc } = entry
    files.push({ name, start: local.fileDataStart, packed, deflated: entry.compressionMethod === 8, size, crc })
  }
  return files
}

/** Whether the header of an entry agrees with the directory. If sizes follow the data, they are 0 in the header. */
function agree(entry: yauzl.Entry, local: yauzl.LocalFileHeader): boolean {
  const later = (local.generalPurposeBitFlag & 0x8) !== 0
  const alike = (mine: number, its: number) => mine === its || (later && mine === 0)
  const { packed, size } = localSizes(local)
  return (
    local.fileName.equals(entry.fileNameRaw) &&
    local.compressionMethod === entry.compressionMethod &&
    (local.generalPurposeBitFlag & 0x2061) === 0 &&
    alike(packed, entry.compressedSize) &&
    alike(size, entry.uncompressedSize) &&
    alike(local.crc32, entry.crc32)
  )
}

function localSizes({ compressedSize, uncompressedSize, extraField }: yauzl.LocalFileHeader): {
  packed: number
  size: number
} {
  const long = [compressedSize, uncompressedSize].includes(0xffffffff) ? extra64(extraField) : undefined
  if (!long) return { packed: compressedSize, size: uncompressedSize }
  let place = 0
  const next = (short: number) => {
    if (short !== 0xffffffff || place + 8 > long.length) return short
    place += 8
    return Number(long.readBigUInt64LE(place - 8))
  }
  const size = next(uncompressedSize)
  return { size, packed: next(compressedSize) }
}

function extra64(field: Buffer): Buffer | undefined {
  try {
    return yauzl.parseExtraFields(field).find(({ id }) => id === 1)?.data
  } catch {
    return undefined
  }
}
