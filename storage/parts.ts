import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, open, readdir, rm, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { exactly } from './exactly.ts'
import { codeOf, into, isMissing, type Folder } from './folder.ts'
import { StorageFailure } from './storage.ts'

/**
 * The files of one upload: `whole` has every byte at its position, and `<n>.done` exists for each part that is in it.
 *
 * A part arrives in a file of its own. That is then linked as `<n>.part`, a name that only the first one gets. Only
 * `<n>.part` is copied into `whole`, so a copy that still runs when `whole` becomes the object changes nothing.
 */
export interface Parts {
  readonly whole: string
  create(size: number): Promise<void>
  /** Takes one part, which begins at `offset`. @throws StorageFailure 'incomplete', 'missing' */
  take(number: number, offset: number, size: number, bytes: AsyncIterable<Buffer>): Promise<void>
  /** Numbers of the parts that are in `whole`. @throws StorageFailure 'missing' */
  done(): Promise<number[]>
}

export function partsIn(folder: Folder, place: string): Parts {
  const file = (name: string): string => `${place}/${name}`
  const whole = file('whole')
  const gone = (): StorageFailure => new StorageFailure('missing', 'There is no such upload any more.')

  /** Copies the first `<n>.part` into `whole`. The file stays if that fails, so that no other gets its name. */
  async function merge(number: number, offset: number): Promise<void> {
    const part = await folder.open(file(`${number}.part`), constants.O_RDONLY)
    try {
      // in this order: a `<n>.part` that was opened before there was a `<n>.done` is the first one
      if (part !== undefined && !(await exists(file(`${number}.done`))))
        await copy(part, offset).then(() => finish(number))
    } finally {
      await part?.close()
    }
    await rm(file(`${number}.part`), { force: true })
  }

  async function copy(part: FileHandle, offset: number): Promise<void> {
    const target = await folder.open(whole, constants.O_RDWR)
    if (target === undefined) throw gone()
    try {
      // not by streams of the handles: these keep a handle from closing as long as they do not close it themselves
      const buffer = Buffer.allocUnsafe(1024 * 1024)
      for (let read = 0; ;) {
        const { bytesRead } = await part.read(buffer, 0, buffer.length, read)
        if (bytesRead === 0) break
        for (let written = 0; written < bytesRead;)
          written += (await target.write(buffer, written, bytesRead - written, offset + read + written)).bytesWritten
        read += bytesRead
      }
      await target.datasync()
    } finally {
      await target.close()
    }
  }

  async function finish(number: number): Promise<void> {
    await (await open(file(`${number}.done`), 'w', 0o600)).close()
    await folder.settle(whole)
  }

  return {
    whole,
    create: (size) =>
      folder.within(whole, async () => {
        const made = await open(whole, 'wx', 0o600)
        try {
          await made.truncate(size)
          await made.sync()
        } finally {
          await made.close()
        }
        await folder.settle(whole)
      }),
    async take(number, offset, size, bytes) {
      const arriving = file(`${randomUUID()}.new`)
      try {
        if (!(await folder.reaches(arriving))) throw gone()
        const made = await open(arriving, 'wx', 0o600)
        try {
          await pipeline(bytes, exactly(size), into(made))
          await made.datasync()
        } finally {
          await made.close()
        }
        await link(arriving, file(`${number}.part`)).catch((error: unknown) => {
          if (codeOf(error) !== 'EEXIST') throw error
        })
        await merge(number, offset)
      } catch (error) {
        throw isMissing(error) ? gone() : error
      } finally {
        await rm(arriving, { force: true })
      }
    },
    async done() {
      if (!(await folder.reaches(whole))) throw gone()
      const names = await readdir(place)
      return names
        .filter((name) => name.endsWith('.done'))
        .map((name) => Number.parseInt(name))
        .sort((a, b) => a - b)
    },
  }
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false
      throw error
    },
  )
}
