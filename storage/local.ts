import { randomBytes, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, open, opendir, rename, rm, unlink, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { diskSpaceOf, uploadReserveOf, type DiskSpace } from '../shared/process/disk-space.ts'
import type { LocalReaderConfig, LocalStorageConfig } from './config.ts'
import { exactly } from './exactly.ts'
import { codeOf, guarded, into, isMissing, openFolder, unlessMissing } from './folder.ts'
import { partsIn, type Parts } from './parts.ts'
import { partReceiver, type ReceiverLimits, type Take } from './receive.ts'
import { signUrl } from './signed-url.ts'
import { isKey, partSizes, StorageFailure, type Storage, type StorageReader } from './storage.ts'

const partSize = 16 * 1024 * 1024

/**
 * Stores objects on the disk of this machine as `objects/<key>`, and uploads under way below `arriving/<key>/`. A file
 * in `objects` is complete and outlasts a power cut.
 */
export function localStorage(config: LocalStorageConfig, limits?: Partial<ReceiverLimits>, measure = roomIn): Storage {
  const folder = openFolder(config.folder)
  const objectAt = (key: string): string => folder.path('objects', checked(key))
  const arrivingAt = (key: string): string => folder.path('arriving', checked(key))

  function partsOf({ key, id }: { key: string; id: string }): Parts {
    if (!/^[\da-f]{32}$/.test(id)) throw new StorageFailure('missing', 'There is no such upload.')
    return partsIn(folder, `${arrivingAt(key)}/${id}`)
  }

  async function sizeOf(key: string): Promise<number | undefined> {
    const file = await folder.open(objectAt(key), constants.O_RDONLY)
    return file && (await statAndClose(file)).size
  }

  /** Moves a file to the path of its object, and removes all else that has arrived for it. */
  async function publish(from: string, key: string): Promise<void> {
    await folder.within(objectAt(key), () => rename(from, objectAt(key)), true)
    await folder.settle(objectAt(key), 1)
    await clear(arrivingAt(key))
  }

  /** Removes files without waiting for the disk. Those that a power cut brings back are removed with the object. */
  async function clear(place: string): Promise<void> {
    // maxRetries: something may arrive there right now
    if (await folder.reaches(place)) await rm(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    await folder.prune(place)
  }

  async function discard(place: string): Promise<void> {
    await clear(place)
    await folder.settle(place)
  }

  const takePart: Take = ({ key, id, number, size }, bytes) =>
    withRoom(size, () => guarded(() => partsOf({ key, id }).take(number, (number - 1) * partSize, size, bytes)))

  /** Reserved bytes that are not all written yet. */
  let coming = 0

  /** Reserves bytes on the disk, but none that must stay free for the database. @throws StorageFailure 'full' */
  async function withRoom<T>(size: number, write: () => Promise<T>): Promise<T> {
    const space = await guarded(() => measure(config.folder))
    if (space.free - coming - size < uploadReserveOf(space, config)) {
      throw new StorageFailure('full', `${size} bytes do not fit on the disk beside the space that has to stay free.`)
    }
    coming += size
    try {
      return await write()
    } finally {
      coming -= size
    }
  }

  return {
    partSize,
    uploadOrigins: [],
    receive: partReceiver(config.key, takePart, limits),

    begin: (key, size) =>
      withRoom(size, () =>
        guarded(async () => {
          const id = randomBytes(16).toString('hex')
          await partsOf({ key, id }).create(size)
          return id
        }),
      ),
    async sign({ key, id, size: total }, numbers, seconds) {
      const expires = Math.floor(Date.now() / 1000) + seconds
      const sizes = partSizes(total, partSize)
      return numbers.map((number) => {
        const size = sizes[number - 1]
        if (size === undefined) throw new RangeError(`There is no part ${number} of ${sizes.length}.`)
        return { number, size, url: signUrl(config.key, { key: checked(key), id, number, size, expires }) }
      })
    },
    arrived: (upload) =>
      guarded(async () => {
        const sizes = partSizes(upload.size, partSize)
        return (await partsOf(upload).done()).map((number) => ({ number, size: sizes[number - 1]! }))
      }),
    complete: (upload) =>
      guarded(async () => {
        const { key, size } = upload
        if ((await sizeOf(key)) === size) return discard(arrivingAt(key))
        const parts = partsOf(upload)
        const lacking = Math.ceil(size / partSize) - (await parts.done()).length
        if (lacking > 0)
          throw new StorageFailure(
            'incomplete',
            `${lacking} ${lacking > 1 ? 'parts' : 'part'} of the upload ${lacking > 1 ? 'have' : 'has'} not arrived.`,
          )
        return publish(parts.whole, key)
      }),

    async write(key, content, size) {
      const arriving = `${arrivingAt(key)}/${randomUUID()}`
      const source = Buffer.isBuffer(content) ? Readable.from([content]) : content
      try {
        await withRoom(size, async () => {
          const file = await guarded(() => folder.within(arriving, () => open(arriving, 'wx', 0o600)))
          try {
            await pipeline(source, exactly(size), into(file))
            await guarded(() => file.sync())
          } finally {
            await file.close()
          }
        })
        await guarded(() => publish(arriving, key))
      } catch (error) {
        source.destroy()
        await discard(arrivingAt(key)).catch(() => {})
        throw error
      }
    },
    copy: (from, to) =>
      guarded(async () => {
        if ((await sizeOf(from)) === undefined) throw missing(from)
        const name = (): Promise<void> => folder.within(objectAt(to), () => link(objectAt(from), objectAt(to)))
        await name().catch(async (error: unknown) => {
          if (isMissing(error)) throw missing(from)
          if (codeOf(error) !== 'EEXIST') throw error
          await unlink(objectAt(to))
          await name()
        })
        await folder.settle(objectAt(to))
      }),
    ...localReader(config),
    local: (key) =>
      guarded(async () => {
        if ((await sizeOf(key)) === undefined) throw missing(key)
        return { path: objectAt(key), done: () => Promise.resolve() }
      }),
    remove: (key) =>
      guarded(async () => {
        const name = key.replace(/\/$/, '')
        await discard(arrivingAt(name))
        if (name !== key) return discard(objectAt(name))
        if (!(await folder.reaches(objectAt(key)))) return
        await unlink(objectAt(key)).catch((error: unknown) => {
          // a folder is no object
          if (!['EISDIR', 'EPERM'].includes(codeOf(error))) unlessMissing(error)
        })
        await folder.prune(objectAt(key))
        await folder.settle(objectAt(key))
      }),
    async *list(prefix) {
      const start = objectAt(prefix.replace(/\/$/, ''))
      if (!(await folder.reaches(`${start}/file`))) return
      for await (const entry of await opendir(start, { recursive: true })) {
        if (entry.isFile()) yield folder.names(folder.path('objects'), `${entry.parentPath}/${entry.name}`).join('/')
      }
    },
  }
}

/** Reads objects of a folder. */
export function localReader(config: LocalReaderConfig): StorageReader {
  const folder = openFolder(config.folder)
  return {
    open: (key) =>
      guarded(async () => {
        if (!isKey(key)) return undefined
        const path = folder.path('objects', key)
        const file = await folder.open(path, constants.O_RDONLY)
        if (file === undefined) return undefined
        const { size, mtimeNs } = await statAndClose(file)
        return {
          size,
          etag: `"${size.toString(36)}-${mtimeNs.toString(36)}"`,
          read: (range) =>
            guarded(async () => {
              const again = await folder.open(path, constants.O_RDONLY)
              if (again === undefined) throw missing(key)
              return again.createReadStream(range)
            }),
        }
      }),
  }
}

/** Free bytes on the disk of the folder; no limit while the folder does not exist. */
function roomIn(folder: string): Promise<DiskSpace> {
  return diskSpaceOf(folder).catch((error: unknown) => {
    unlessMissing(error)
    return { free: Infinity, total: 0 }
  })
}

async function statAndClose(file: FileHandle): Promise<{ size: number; mtimeNs: bigint }> {
  try {
    const { size, mtimeNs } = await file.stat({ bigint: true })
    return { size: Number(size), mtimeNs }
  } finally {
    await file.close()
  }
}

const missing = (key: string): StorageFailure => new StorageFailure('missing', `There is no object ${key}.`)

function checked(key: string): string {
  if (!isKey(key)) throw new TypeError('This is no key of storage.')
  return key
}
