import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { statSync } from 'node:fs'

/** A user of this machine: its ids. */
export interface Account {
  uid: number
  gid: number
}

/**
 * The user to run Postgres as; undefined: the current one. Postgres refuses root: for root this is the owner of the
 * data folder, else `postgres` (`_postgres` on macOS), else `nobody`.
 */
export function accountFor(dataDir: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(dataDir, { throwIfNoEntry: false })
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid && gid !== undefined) return { uid, gid }
  }
  throw new Error(
    'Postgres refuses to run as root and there is no user "postgres" or "nobody": ' +
      'start as a user, or set DATABASE_URL.',
  )
}

/** Whether the account may list the folder and every folder above it, by their modes. */
export function canReach(folder: string, account: Account | undefined): boolean {
  if (account === undefined) return true
  for (let path = folder, need = 5; ; path = dirname(path), need = 1) {
    const { uid, gid, mode } = statSync(path)
    const bits = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode
    if ((bits & need) !== need) return false
    if (path === dirname(path)) return true
  }
}

function idOf(which: '-u' | '-g', name: string): number | undefined {
  try {
    return Number.parseInt(execFileSync('id', [which, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    return undefined
  }
}
