import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, canReach } from './account.ts'

/** Bytes of the longest path: systems allow 104 (macOS, with the NUL) or 108 (Linux) for a socket. */
const longest = 100

/**
 * The folder of the socket on which Postgres listens; it listens nowhere else. Only its user and root can enter the
 * folder, so there is no password. It is the data folder, or a temporary one if the path of that is too long.
 */
export function socketFolder(dataDir: string, account: Account | undefined): string {
  if (fits(dataDir)) return dataDir
  const name = `lrs-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const parent = [tmpdir(), '/tmp'].find(
    (folder) => fits(join(folder, name)) && existsSync(folder) && canReach(folder, account),
  )
  if (parent === undefined)
    throw new Error(`The path ${dataDir} is too long for a socket: set LRS_DATA_DIR to a shorter one.`)
  const folder = join(parent, name)
  const uid = account?.uid ?? process.getuid?.()
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 })
    if (account !== undefined) chownSync(folder, account.uid, account.gid)
  }
  const made = lstatSync(folder)
  if (!made.isDirectory() || made.uid !== uid)
    throw new Error(`${folder} belongs to another user: remove it, or set TMPDIR.`)
  chmodSync(folder, 0o700)
  return folder
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, '.s.PGSQL.5432')) <= longest
}
