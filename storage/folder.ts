import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rmdir, type FileHandle } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { StorageFailure } from './storage.ts'

/** A folder in which no link leads a path elsewhere. */
export interface Folder {
  path(...names: string[]): string
  /** The names of a path below `folder`. */
  names(folder: string, path: string): string[]
  /** Whether the folder of `path` exists; fails if a link is on the way to it. */
  reaches(path: string): Promise<boolean>
  /**
   * Makes the folder of `path` and runs `action` in it; tries again if the empty folder was removed in between.
   * @param lasting folders that it makes outlast a power cut
   */
  within<T>(path: string, action: () => Promise<T>, lasting?: boolean): Promise<T>
  /** Opens a regular file; undefined: there is none. */
  open(path: string, flags: number): Promise<FileHandle | undefined>
  /** Resolves when the last `names` names of `path` are on disk; names that `within` made `lasting` are already. */
  settle(path: string, names?: number): Promise<void>
  /** Removes this folder and those above it, as long as they are empty. */
  prune(folder: string): Promise<void>
}

export function openFolder(root: string): Folder {
  let real: string | undefined
  const above = (path: string): string[] => {
    const folder = dirname(path)
    return folder === root ? [root] : [folder, ...above(folder)]
  }

  async function reaches(path: string): Promise<boolean> {
    const folder = dirname(path)
    try {
      real ??= await realpath(root)
      if ((await realpath(folder)) === join(real, relative(root, folder))) return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
    throw new StorageFailure(
      'unavailable',
      `${relative(root, folder)} of the storage folder leads out of it by a link.`,
    )
  }

  return {
    path: (...names) => join(root, ...names),
    names: (folder, path) => relative(folder, path).split(sep),
    reaches,
    async within(path, action, lasting = false) {
      for (let tries = 1; ; tries += 1) {
        try {
          // mkdir fails, too, while a folder on the way is being removed
          const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
          const changed =
            made === undefined || !lasting
              ? []
              : above(path)
                  .slice(1)
                  .filter((folder) => folder.length >= dirname(made).length)
          for (const folder of changed) await sync(folder)
          await reaches(path)
          return await action()
        } catch (error) {
          if (!isMissing(error) || tries === 50) throw error
        }
      }
    },
    async open(path, flags) {
      if (!(await reaches(path))) return undefined
      try {
        const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)
        if ((await file.stat()).isFile()) return file
        await file.close()
      } catch (error) {
        // it is no file of ours, but a folder, a link or a pipe
        if (!isMissing(error) && !['EISDIR', 'ELOOP', 'ENXIO'].includes(codeOf(error))) throw error
      }
      return undefined
    },
    async settle(path, names = Infinity) {
      for (const folder of above(path).slice(0, names)) await sync(folder).catch(unlessMissing)
    },
    async prune(folder) {
      for (const empty of [folder, ...above(folder)].slice(0, -2)) {
        await rmdir(empty).catch(() => {})
        if (await lstat(empty).catch(() => undefined)) return
      }
    },
  }
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes bytes at the current position of `file`. */
export function into(file: FileHandle) {
  return async (bytes: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of bytes) await guarded(() => file.writeFile(chunk))
  }
}

export function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}

export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(codeOf(error))
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? ''
}

/** Turns errors of the file system into StorageFailures. */
export async function guarded<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new StorageFailure('full', 'The storage folder has no room left.', { cause: error })
    throw new StorageFailure('unavailable', `The storage folder cannot be used: ${message}`, { cause: error })
  }
}
