import { isUtf8 } from 'node:buffer'
import { imageSize } from './image-size.ts'

/** What an image really is; undefined: none of those that are taken. */
export function imageType(bytes: Buffer): { contentType: string; width: number; height: number } | undefined {
  const contentType = imageTypes.find(([, fits]) => fits(bytes))?.[0]
  const size = contentType === undefined ? undefined : imageSize(contentType, bytes)
  return contentType !== undefined && size ? { contentType, ...size } : undefined
}

const at = (bytes: Buffer, place: number, text: string) =>
  bytes.length >= place + text.length && bytes.toString('latin1', place, place + text.length) === text

/** By hand, as are the types below: file-type 22 knows no .dmg, .txt and .md, and takes MZ alone for a program. */
const imageTypes: readonly (readonly [string, (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => at(bytes, 0, '\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (bytes) => at(bytes, 0, '\xff\xd8\xff')],
  ['image/gif', (bytes) => at(bytes, 0, 'GIF87a') || at(bytes, 0, 'GIF89a')],
  ['image/webp', (bytes) => at(bytes, 0, 'RIFF') && at(bytes, 8, 'WEBP')],
  ['image/avif', (bytes) => at(bytes, 4, 'ftypavif') || at(bytes, 4, 'ftypavis')],
]

const isZip = (bytes: Buffer) => at(bytes, 0, 'PK\x03\x04')
const isOle = (bytes: Buffer) => at(bytes, 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')
/** A zip that holds such a name: these formats name their parts in the clear. */
const zipWith = (name: string) => (bytes: Buffer) => isZip(bytes) && bytes.includes(name)
const openDocument = (type: string) => (bytes: Buffer) => isZip(bytes) && at(bytes, 30, `mimetype${type}`)
const isText = (bytes: Buffer) => !bytes.includes(0) && isUtf8(bytes)

const officeXml = 'application/vnd.openxmlformats-officedocument'
const documentTypes: Readonly<Record<string, readonly [string, (bytes: Buffer) => boolean]>> = {
  '.pdf': ['application/pdf', (bytes) => at(bytes, 0, '%PDF-')],
  '.docx': [`${officeXml}.wordprocessingml.document`, zipWith('word/document.xml')],
  '.pptx': [`${officeXml}.presentationml.presentation`, zipWith('ppt/presentation.xml')],
  '.xlsx': [`${officeXml}.spreadsheetml.sheet`, zipWith('xl/workbook.xml')],
  '.odt': ['application/vnd.oasis.opendocument.text', openDocument('application/vnd.oasis.opendocument.text')],
  '.odp': [
    'application/vnd.oasis.opendocument.presentation',
    openDocument('application/vnd.oasis.opendocument.presentation'),
  ],
  '.ods': [
    'application/vnd.oasis.opendocument.spreadsheet',
    openDocument('application/vnd.oasis.opendocument.spreadsheet'),
  ],
  '.txt': ['text/plain; charset=utf-8', isText],
  '.md': ['text/markdown; charset=utf-8', isText],
}

/** What a teaching note really is, when its name ends accordingly. */
export function documentType(fileName: string, bytes: Buffer): string | undefined {
  const [contentType, fits] = documentTypes[ending(fileName, Object.keys(documentTypes)) ?? ''] ?? []
  return bytes.length > 0 && fits?.(bytes) ? contentType : undefined
}

/** Why it is none, for who named it so. */
export function whatIsNoDocument(fileName: string, bytes: Buffer): string {
  const end = ending(fileName, Object.keys(documentTypes))
  if (end === undefined) return `must be a document: its name ends in ${listed(documentTypes)}`
  if (bytes.length === 0) return 'must not be empty'
  if (documentTypes[end]![1] !== isText)
    return `must be what its name says: the content is no ${end} file, or is damaged`
  const found = bytes.includes(0) ? 'it holds a NUL' : 'it holds other bytes; save it again with the encoding UTF-8'
  return `must be text in UTF-8, as its name says: ${found}`
}

/** The same of a package. */
export function whatIsNoPackage(fileName: string): string {
  const end = ending(fileName, Object.keys(packageTypes))
  return end === undefined
    ? `must be a package: its name ends in ${listed(packageTypes)}`
    : `must be what its name says: the content is no ${end} file, or is damaged`
}

const listed = (types: object): string =>
  Object.keys(types)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1')

/** Whether a package is what its name says. @param head the first bytes @param tail the last 512 */
export const isDesktopPackage = (fileName: string, head: Buffer, tail: Buffer): boolean =>
  packageTypes[ending(fileName, Object.keys(packageTypes)) ?? '']?.(head, tail) ?? false

const isGzip = (head: Buffer) => at(head, 0, '\x1f\x8b\x08')
const isWindowsProgram = (head: Buffer) =>
  at(head, 0, 'MZ') && head.length >= 64 && at(head, head.readUInt32LE(60), 'PE\0\0')

const packageTypes: Readonly<Record<string, (head: Buffer, tail: Buffer) => boolean>> = {
  '.zip': isZip,
  '.exe': isWindowsProgram,
  '.msi': isOle,
  '.dmg': (_head, tail) => at(tail, tail.length - 512, 'koly'),
  '.appimage': (head) => at(head, 0, '\x7fELF'),
  '.tar.gz': isGzip,
  '.tgz': isGzip,
  '.deb': (head) => at(head, 0, '!<arch>\ndebian-binary'),
  '.rpm': (head) => at(head, 0, '\xed\xab\xee\xdb'),
  '.7z': (head) => at(head, 0, '7z\xbc\xaf\x27\x1c'),
}

const ending = (fileName: string, endings: readonly string[]) =>
  endings.find((end) => fileName.toLowerCase().endsWith(end))
