import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { identity } from './processes.ts'

export interface Lock {
  /** The holder before us ended without releasing it. */
  wasLeft: boolean
  release(): void
}

/** Takes the lock file, or returns the live process that holds it. Takes over the lock of a process that has ended. */
export function takeLock(file: string): Lock | { holder: number } {
  const own = `${file}.${process.pid}`
  writeFileSync(own, identity(process.pid) ?? '', { mode: 0o600 })
  try {
    for (let wasLeft = false; ; wasLeft = true) {
      try {
        linkSync(own, file)
        return { wasLeft, release: () => rmSync(file, { force: true }) }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const held = readIfThere(file)
      const holder = Number.parseInt(held ?? '')
      if (holder > 0 && identity(holder) === held) return { holder }
      rmSync(file, { force: true })
    }
  } finally {
    rmSync(own, { force: true })
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
