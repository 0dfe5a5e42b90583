import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processes that have so much memory together, the files that they read included. */
export interface MemoryGroup {
  /** Once the processes have ended. */
  remove(): Promise<void>
}

const prefix = 'lrs-bench-'

/** What holds the limit, in version 1 of control groups and in version 2. */
const limits = ['memory.limit_in_bytes', 'memory.max']

/**
 * Gives a process and its children `mebibytes` of memory, in a control group of their own within `parent`. Which one that
 * is has to be told: a process that changes its group leaves the limits, and the care, of the one that it was in.
 * @throws Error with the reason where the system does not allow it
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
    // those that are started meanwhile by one that has not moved yet are met the next time
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

/** One that has ended meanwhile needs no group. */
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

/** False while processes are in it. */
function removed(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return !existsSync(folder)
  }
}
