import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Smaller ones do not count. */
const least = 2 ** 20

/**
 * Has the system forget what it keeps in memory of the files of a folder, as far as it is on the disk. False where dd
 * cannot ask for that.
 */
export function forgetFiles(folder: string): boolean {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  const large = files.filter((file) => {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat?.isFile() && stat.size >= least
  })
  try {
    for (const file of large) execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
