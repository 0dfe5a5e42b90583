import { inBytes, portalLimits, quotas, reservationSeconds } from '../../../shared/limits.ts'

/** Bounds of names in a zip: what every store and file system can hold. */
export const nameBounds = { segmentBytes: 255, pathBytes: 850, levels: 32 } as const

/** Bounds of comment and extra fields of an entry in a zip's directory: those of all entries are in memory at once. */
export const besideName = { bytes: 2048, fields: 64 } as const

interface Texts {
  readonly title: string
  readonly text: string
}

const entries = quotas.zipEntries.limit.toLocaleString('en')

/** The packaging rules by their anchors. A refusal of a package names one of them; the portal's page shows them all. */
const rules = {
  zip: {
    title: 'A real zip',
    text:
      'A browser build is one zip file, complete and undamaged, on one disk, with nothing behind its end. Its ' +
      'directory has the true number and positions of the entries, ' +
      'and at most 2 KB of comment and extra fields for each.',
  },
  index: {
    title: 'index.html at the top',
    text:
      'The game starts with a file index.html, in lower case, at the top of the zip. ' +
      'Zip the content of the folder, not the folder.',
  },
  entries: { title: `At most ${entries} entries`, text: `Files and folders in the zip count, ${entries} at most.` },
  ratio: {
    title: `At most ${quotas.zipRatio.limit}:1 for each file`,
    text:
      `No file is more than ${quotas.zipRatio.limit} times as large as its bytes in the zip. ` +
      'Store a file without compression when it compresses better than that.',
  },
  expansion: {
    title: 'Size of all files together',
    text: 'All files in the zip together are at most {expanded} when they are unpacked.',
  },
  path: {
    title: 'Paths stay in the folder',
    text:
      'Names of entries are relative paths with / between their parts: none begins with / or a drive letter, ' +
      'none has a part that is empty, . or .., none holds a backslash.',
  },
  name: {
    title: 'Readable names',
    text:
      'Names are UTF-8, without control characters and without invisible characters. ' +
      `Each part has at most ${nameBounds.segmentBytes} bytes, ` +
      `a whole path at most ${nameBounds.pathBytes} bytes in at most ${nameBounds.levels} parts.`,
  },
  symlink: {
    title: 'No symbolic links',
    text: 'A zip holds files and folders; links are refused. Pack the files that they point to.',
  },
  special: {
    title: 'No special files',
    text: 'Devices, pipes and sockets are refused, and entries that claim to be both a file and a folder.',
  },
  encrypted: { title: 'No passwords', text: 'Entries are not encrypted.' },
  compression: {
    title: 'Stored or deflated',
    text: 'Entries are stored or compressed with deflate, as every zip program does by default.',
  },
  duplicate: { title: 'Every name once', text: 'No two entries have the same name.' },
  collision: {
    title: 'Names differ by more than case',
    text:
      'Names that differ only in upper and lower case or in the Unicode form of their letters would be one file ' +
      'on many machines, and a name cannot be both a file and a folder.',
  },
  overlap: {
    title: 'Every entry has its own bytes',
    text: 'Entries do not share or overlap each other’s data, and lie before the directory of the zip.',
  },
  sizes: {
    title: 'Sizes and checksums are true',
    text: 'Every entry has the size, the checksum and the name that its own header and the directory of the zip give.',
  },
  changed: {
    title: 'Changed files only',
    text:
      'The command push sends only files that no build of the same game has, and a list of all files. Every file of ' +
      'the list is in the zip or in such a build, and every file of the zip is in the list. All rules hold for all files.',
  },
  desktop: {
    title: 'Desktop packages',
    text:
      'A package to download is one file: .zip, .exe, .msi, .dmg, .AppImage, .tar.gz, .tgz, .deb, .rpm or .7z, ' +
      'and its content is what its name says.',
  },
  malware: {
    title: 'No malware',
    text:
      'Where the operator has a malware scanner, it gets every file of a build, every image and every document. What ' +
      'it finds is refused, and so is a file that is larger than it takes. While it is away, uploads wait.',
  },
  threads: {
    title: 'Games with threads are isolated',
    text:
      'A game with threads (exports of Godot and Unity with threads, emscripten with -pthread) has to be isolated from ' +
      'other origins: switch this on at the page Player of the game. Without it, browsers say “SharedArrayBuffer is ' +
      'not defined”, Godot says “Cross Origin Isolation - Check web server configuration”, and emscripten says ' +
      '“requested a shared WebAssembly.Memory but the returned buffer is not a SharedArrayBuffer”. These exports start ' +
      'threads from a file of the build. So they also need an origin for each build: the operator sets LRS_GAMES_URL ' +
      'with a *.',
  },
  images: {
    title: 'Images',
    text:
      'Gallery images and logos are PNG, JPEG, WebP, GIF or AVIF, at most 8,192 pixels wide and high. ' +
      'SVG is refused because it can hold scripts. Metadata of cameras and programs, such as the place, is removed.',
  },
  documents: {
    title: 'Teaching notes',
    text:
      'Teaching notes are PDF, Word, PowerPoint, Excel or OpenDocument files, or plain text or Markdown in UTF-8, ' +
      'with a name that ends accordingly.',
  },
  'file-name': {
    title: 'File names',
    text:
      'The name of an uploaded file has at most 200 bytes and no slash, backslash or control character, ' +
      'and does not begin with a dot.',
  },
  uploads: {
    title: 'Uploads',
    text:
      `A studio can start ${portalLimits.buildUploadUrl.limit} uploads of builds in a UTC day, over all its games. ` +
      'A request that is refused because of its size, its type or a quota does not count. An upload that has ' +
      'started counts, also if you cancel it or its zip breaks a rule. The count resets at 00:00 UTC. ' +
      `An upload reserves storage for ${reservationSeconds / 3600} hours; ` +
      'an upload that is cancelled, rejected or not finished by then gives it back.',
  },
} as const satisfies Record<string, Texts>

export type PackagingRule = keyof typeof rules

/** What a refusal names as its rule. */
export const packagingRule = (rule: PackagingRule): string => `packaging#${rule}`

export interface ShownRule extends Texts {
  /** Names the rule in links: `packaging#<anchor>`. */
  readonly anchor: string
}

/** The rules in words. @param maxExpanded bytes of all files in a zip, a setting */
export const packagingRules = (maxExpanded: number): ShownRule[] =>
  Object.entries(rules).map(([anchor, { title, text }]) => ({
    anchor,
    title,
    text: text.replace('{expanded}', inBytes(maxExpanded)),
  }))
