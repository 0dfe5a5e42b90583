import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isGone, isPostgresOf } from '../processes.ts'

/**
 * Ends a Postgres that an earlier start left behind on this folder, and removes its lock files: Postgres would take any
 * live process with their process id for its predecessor. Returns the process id of the server that it ended.
 */
export async function endOrphan(dataDir: string, socketDir: string): Promise<number | undefined> {
  const lock = join(dataDir, 'postmaster.pid')
  const pid = Number.parseInt(readIfThere(lock))
  const lives = pid > 0 && isPostgresOf(pid, realpathSync(dataDir))
  if (lives) await end(pid)
  rmSync(lock, { force: true })
  rmSync(join(socketDir, '.s.PGSQL.5432.lock'), { force: true })
  return lives ? pid : undefined
}

/** Fast shutdown, then immediate shutdown, from which the next start recovers, then SIGKILL. */
async function end(pid: number): Promise<void> {
  for (const [signal, withinMs] of [
    ['SIGINT', 5000],
    ['SIGQUIT', 3000],
    ['SIGKILL', 2000],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch {
      return
    }
    if (await isGone(pid, withinMs)) return
  }
  throw new Error(`An earlier Postgres (process ${pid}) does not end: end it, then start again.`)
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
