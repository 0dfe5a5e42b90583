import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes; smaller files stay. */
const least = 2 ** 20

/**
 * Drops the files of a folder from the page cache, except for what is not yet on the disk. False if dd does not support
 * this.
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
