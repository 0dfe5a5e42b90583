import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { chmod, lchown, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { accountFor, type Account } from '../../start/postgres/account.ts'
import { manifestName, type Manifest } from '../backup-files.ts'
import { Failed } from '../failed.ts'
import { progress } from '../progress.ts'
import type { Work } from '../command.ts'
import type { Session } from '../session.ts'
import { amount, bytes } from '../show.ts'
import { partsOf, whileStopped, withPostgres, type Parts } from '../stopped-store.ts'

type Part = keyof Parts

/** Stays free. */
const reserve = 64 * 1024 * 1024
const mostManifestBytes = 256 * 1024 * 1024
/** Files and folders: more would fill the memory of this process and the list of files of the disk. */
const mostEntries = 2_000_000
/** What an entry takes of the disk, however small it is. */
const entryBytes = 4_096

/**
 * Puts a backup where `npm start` looks for its data. Everything is unpacked and compared with the manifest first; what
 * was there before is moved aside, not removed.
 */
export const restore: Work<{ file: string; force?: boolean }> = async (session, { file: path, force }) => {
  const { env } = session
  if (env['DATABASE_URL'])
    throw new Failed('DATABASE_URL is set. This kind of backup is only for the Postgres from npm.')
  if ((await stat(path)).isDirectory()) throw new Failed(`${path} is a folder. Name a file that "backup" made.`)
  const parts = partsOf(env)
  const fresh = (part: Part) => `${parts[part]}.restoring`
  return whileStopped(env, async () => {
    const there = (Object.keys(parts) as Part[]).filter((part) => existsSync(parts[part]))
    if (there.length > 0 && !force)
      throw new Failed(`There is data already (${parts[there[0]!]}): --force moves it aside and restores the backup.`)
    const account = existsSync(parts.postgres) ? accountFor(parts.postgres) : accountFor(dirname(parts.postgres))
    try {
      for (const part of Object.keys(parts) as Part[]) await rm(fresh(part), { recursive: true, force: true })
      const manifest = await unpack(session, path, fresh)
      if (account) await giveTo(account, fresh('postgres'))
      const aside = await swap(parts, fresh)
      // it starts, and what the file system has taken is complete
      await withPostgres(env, async () => {})
      const { made, files } = manifest
      const at = made.slice(0, 16).replace('T', ' ')
      const text = `Restored ${amount(files.length, 'file')}, ${bytes(manifest.bytes)}, as they were on ${at} UTC.${
        aside.length > 0 ? `\nMoved aside: ${aside.join(', ')}. Remove it when everything works.` : ''
      }`
      return { json: { made, files: files.length, bytes: manifest.bytes, movedAside: aside }, text }
    } finally {
      for (const part of Object.keys(parts) as Part[]) await rm(fresh(part), { recursive: true, force: true })
    }
  })
}

/** Unpacks beside where things go, and compares all of it with the manifest. @throws Failed */
async function unpack({ ending }: Session, path: string, fresh: (part: Part) => string): Promise<Manifest> {
  const total = (await stat(path)).size
  const bar = progress('Restoring', bytes)
  const found = new Map<string, { size: number; sha256: string }>()
  let manifest: Manifest | undefined
  const count = countEntries(path, await freeBytes(dirname(fresh('postgres'))))
  const source = createReadStream(path, { highWaterMark: 1024 * 1024, signal: ending })
  try {
    // the callback is there for errors, which come out of the entries as well
    for await (const entry of pipeline(source, createGunzip(), extract(), () => {})) {
      const { name, type, mode, size } = entry.header
      const content = entry as AsyncIterable<Uint8Array>
      if (type !== 'file' && type !== 'directory')
        throw new Failed(`${JSON.stringify(name)} in the archive is neither a file nor a folder.`)
      count(size ?? 0)
      if (manifest) throw new Failed(`The archive contains ${JSON.stringify(name)} after its manifest.`)
      if (name === manifestName) manifest = await readManifest(content, size)
      else if (name.endsWith('/') && name !== 'secrets.json/')
        await mkdir(archivePathOf(name.slice(0, -1), fresh), { mode: mode & 0o777, recursive: true })
      else if (name === 'postgres' || name === 'storage')
        throw new Failed(`The archive contains ${JSON.stringify(name)} as a file, which a backup never does.`)
      else found.set(name, { size, sha256: await writeFile(archivePathOf(name, fresh), mode, content) })
      bar.show(source.bytesRead, total)
    }
  } catch (error) {
    // errors of gzip begin with Z_, those of tar-stream have no code
    const { code = 'Z_' } = error as NodeJS.ErrnoException
    if (error instanceof Failed || !code.startsWith('Z_')) throw error
    throw new Failed(`${path} is damaged, or not an archive made by "backup".`)
  } finally {
    bar.end()
    source.destroy()
  }
  if (manifest?.format !== 1 || !Array.isArray(manifest.files))
    throw new Failed(`${path} has no manifest: it is damaged, or not an archive made by "backup".`)
  const wrong = manifest.files.find(
    ({ path, size, sha256 }) => found.get(path)?.sha256 !== sha256 || found.get(path)?.size !== size,
  )
  if (wrong)
    throw new Failed(
      `${wrong.path} in ${path} does not match the manifest: the backup is damaged. Nothing was changed.`,
    )
  if (found.size !== manifest.files.length)
    throw new Failed(`${path} contains files that its manifest does not name. Nothing was changed.`)
  if (!found.has('postgres/PG_VERSION')) throw new Failed(`${path} contains no database. Nothing was changed.`)
  return manifest
}

/**
 * To be called with the size of each entry before it is written: an archive of kilobytes may hold petabytes of zeros, or
 * names without end. Throws Failed when the disk has no room, or when there are more than `most`.
 */
export function countEntries(path: string, left: number, most = mostEntries) {
  let entries = 0
  return (size: number): void => {
    left -= size + entryBytes
    if (left < 0) throw new Failed(`${path} holds more than the disk has room for. Nothing was changed.`)
    if (++entries > most)
      throw new Failed(`${path} holds more than ${most.toLocaleString('en')} files. Nothing was changed.`)
  }
}

/** Bytes that may be written without filling the disk. */
async function freeBytes(folder: string): Promise<number> {
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize - reserve
}

/** Where an entry goes; nothing leaves the folders that are being made. @throws Failed */
function archivePathOf(name: string, fresh: (part: Part) => string): string {
  const [part, ...rest] = name.split('/')
  const isOurs =
    (part === 'postgres' || part === 'storage' || (part === 'secrets.json' && rest.length === 0)) &&
    !rest.some((one) => one === '' || one === '.' || one === '..' || one.includes('\0'))
  if (!isOurs) throw new Failed(`The archive contains ${JSON.stringify(name)}, which a backup never does.`)
  return join(fresh(part), ...rest)
}

async function writeFile(path: string, mode: number, content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'wx', mode & 0o777)
  try {
    for await (const piece of content) {
      hash.update(piece)
      await file.writeFile(piece)
    }
    await file.datasync()
  } finally {
    await file.close()
  }
  await chmod(path, mode & 0o777)
  return hash.digest('hex')
}

async function readManifest(content: AsyncIterable<Uint8Array>, size: number): Promise<Manifest> {
  if (size > mostManifestBytes) throw new Failed('The manifest of the archive is too large.')
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  try {
    return JSON.parse(Buffer.concat(pieces).toString())
  } catch {
    throw new Failed('The manifest of the archive is damaged. Nothing was changed.')
  }
}

/** Postgres refuses to run as root: its files belong to another account there. */
async function giveTo({ uid, gid }: Account, path: string): Promise<void> {
  await lchown(path, uid, gid)
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    await lchown(join(entry.parentPath, entry.name), uid, gid)
}

/** Moves what was there aside and what is new into its place; says where the old is. */
async function swap(parts: Parts, fresh: (part: Part) => string): Promise<string[]> {
  const aside: string[] = []
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '')
  for (const part of Object.keys(parts) as Part[]) {
    if (existsSync(parts[part])) {
      aside.push(`${parts[part]}.before-${stamp}`)
      await rename(parts[part], aside.at(-1)!)
    }
    if (existsSync(fresh(part))) await rename(fresh(part), parts[part])
  }
  return aside
}
