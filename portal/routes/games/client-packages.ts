import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { beforeContent, directoryOf, localHeader, type ZipEntry } from '../../../shared/zip-format.ts'

const clients = join(import.meta.dirname, '..', '..', '..', 'clients')

export interface ClientPackage {
  readonly from: string
  /** A pattern below it. */
  readonly files: string
  /** Further files by their names in the zip. */
  readonly also?: Readonly<Record<string, string>>
}

/** Where the library of Godot wants them. */
const besideAddOn = {
  'addons/games_lrs/LICENSE': 'godot/LICENSE',
  'addons/games_lrs/README.md': 'godot/README.md',
}

/** What studios without the source of this service download: a zip of each, as their guides say where to put it. */
export const clientPackages: Readonly<Record<string, ClientPackage>> = {
  'games-lrs-godot3.zip': { from: 'godot/godot3', files: 'addons/**', also: besideAddOn },
  'games-lrs-godot4.zip': { from: 'godot/godot4', files: 'addons/**', also: besideAddOn },
  'games-lrs-python.zip': { from: 'python', files: '{*.md,LICENSE,sample/*.py,games_lrs/*.{py,typed}}' },
  // folders with ~ are no part of what Unity imports; the tests of the project need one of them only
  'games-lrs-unity.zip': { from: 'unity', files: '{*,{Runtime,Samples~,Tests,Documentation~,DotNet~}/**}' },
}

/** A zip of this client; the same files always give the same bytes. */
export function packClient({ from, files, also = {} }: ClientPackage): Buffer {
  const folder = join(clients, from)
  const names = globSync(files, { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile())
  const sources = new Map(names.map((name) => [name, join(folder, name)]))
  for (const [name, source] of Object.entries(also)) sources.set(name, join(clients, source))
  const parts: Buffer[] = []
  const entries: ZipEntry[] = []
  let place = 0
  for (const path of [...sources.keys()].toSorted()) {
    const content = readFileSync(sources.get(path)!)
    const packed = deflateRawSync(content)
    const name = Buffer.from(path.replaceAll('\\', '/'))
    const sizes = { packed: packed.length, size: content.length }
    const entry: ZipEntry = { name, offset: place, method: 8, crc: crc32(content), ...sizes }
    entries.push(entry)
    parts.push(localHeader(entry), packed)
    place += beforeContent(entry) + packed.length
  }
  return Buffer.concat([...parts, directoryOf(entries, place)])
}
