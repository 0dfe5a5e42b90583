import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

/** Process id and start time: they distinguish a process from a later one with its id. Undefined: it has ended. */
export function identity(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${pid} ${fields[19]}`
    }
    const began = ps(pid, 'stat=,lstart=')
    return began === '' || began.startsWith('Z') ? undefined : `${pid} ${began.replace(/^\S+\s+/, '')}`
  } catch {
    return undefined
  }
}

/** Whether the process is the main process of a Postgres on this (real) folder. */
export function isPostgresOf(pid: number, folder: string): boolean {
  try {
    if (process.platform === 'linux') {
      // a binary that was replaced in the meantime is shown as "postgres (deleted)"
      const name = basename(readlinkSync(`/proc/${pid}/exe`)).split(' ')[0]
      return name === 'postgres' && readlinkSync(`/proc/${pid}/cwd`) === folder
    }
    const command = ps(pid, 'command=')
    return command.includes('/postgres ') && command.includes(`-D ${folder}`)
  } catch {
    return false
  }
}

/** Waits until the process has ended; false if it still runs after `withinMs`. */
export async function isGone(pid: number, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  while (identity(pid) !== undefined) {
    if (performance.now() > until) return false
    await new Promise((done) => setTimeout(done, 20))
  }
  return true
}

function ps(pid: number, columns: string): string {
  return execFileSync('ps', ['-o', columns, '-p', String(pid)], {
    encoding: 'utf8',
    env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
  }).trim()
}
