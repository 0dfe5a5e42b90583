import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A control group: its processes share one memory limit, which includes the page cache of the files that they read. */
export interface MemoryGroup {
  /** Call it after the processes have ended. */
  remove(): Promise<void>
}

const prefix = 'lrs-bench-'

/** The file with the limit, in version 1 and in version 2 of control groups. */
const limits = ['memory.limit_in_bytes', 'memory.max']

/**
 * Limits a process and its children to `mebibytes` of memory: moves them to a new control group within `parent`.
 * `parent` has no default, because a process that moves leaves the limits of the group that it was in.
 * @throws Error with the reason if the system does not allow it
 */
export function limitMemory(pid: number, mebibytes: number, parent: string | undefined): MemoryGroup {
  if (parent === undefined) throw new Error('no --group was named')
  for (const name of readdirSync(parent).filter((name) => name.startsWith(prefix))) removed(join(parent, name))
  const folder = join(parent, `${prefix}${process.pid}`)
  mkdirSync(folder)
  try {
    const limit = limits.find((name) => existsSync(join(folder, name)))
    if (limit === undefined) throw new Error(`${parent} gives groups within it no limit of memory`)
    writeFileSync(join(folder, limit), String(mebibytes * 1024 * 1024))
    const moved = new Set<number>()
    // a process that has not moved yet may start children outside the group: the next pass moves them
    for (let fresh = [pid]; fresh.length > 0; fresh = childrenOf(pid).filter((child) => !moved.has(child))) {
      for (const one of fresh) move(one, folder)
      for (const one of fresh) moved.add(one)
    }
  } catch (error) {
    removed(folder)
    throw error
  }
  return {
    async remove() {
      for (let tries = 0; !removed(folder) && tries < 50; tries++) await new Promise((done) => setTimeout(done, 100))
    },
  }
}

/** Moves a process to the group, unless it has ended meanwhile. */
function move(pid: number, folder: string): void {
  try {
    writeFileSync(join(folder, 'cgroup.procs'), String(pid))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
}

/** Removes the group; false while processes are in it. */
function removed(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return !existsSync(folder)
  }
}
