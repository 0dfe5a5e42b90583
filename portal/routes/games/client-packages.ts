import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { beforeContent, directoryOf, localHeader, type ZipEntry } from '../../../shared/zip-format.ts'

const clients = join(import.meta.dirname, '..', '..', '..', 'clients')

/** What studios without the source of this service download: a zip of each, as their guides say where to put it. */
export const clientPackages: Readonly<Record<string, { readonly from: string; readonly files: string }>> = {
  'games-lrs-godot3.zip': { from: 'godot/godot3', files: 'addons/**' },
  'games-lrs-godot4.zip': { from: 'godot/godot4', files: 'addons/**' },
  // folders with ~ are no part of what Unity imports; the tests of the project need one of them only
  'games-lrs-unity.zip': { from: 'unity', files: '{*,{Runtime,Samples~,DotNet~}/**}' },
}

/** A zip of this client; the same files always give the same bytes. */
export function packClient({ from, files }: { readonly from: string; readonly files: string }): Buffer {
  const folder = join(clients, from)
  const names = globSync(files, { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile())
  const parts: Buffer[] = []
  const entries: ZipEntry[] = []
  let place = 0
  for (const path of names.toSorted()) {
    const content = readFileSync(join(folder, path))
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
