import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'

/** Folder, user and environment in which the programs of Postgres run for one data folder. */
export interface Place {
  /** The path of the data folder in their arguments. */
  folder: string
  options: { cwd: string; env: Record<string, string>; uid?: number; gid?: number; detached?: boolean }
}

/**
 * As root on Linux, a data folder below one that only root may enter (/root) is still usable: the programs start inside
 * it and get it as /proc/self/cwd. Their environment has neither our secrets nor our locale.
 */
export function reachableFolder(dataDir: string, account: Account | undefined): Place {
  const inside = account !== undefined && process.platform === 'linux'
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  return { folder: inside ? '/proc/self/cwd' : dataDir, options: { cwd: dataDir, env, ...account } }
}

/** Whether there is a cluster. Throws if these programs or this user cannot run it. */
export function hasCluster(dataDir: string, binaries: Binaries): boolean {
  const mark = join(dataDir, 'PG_VERSION')
  if (!existsSync(dataDir)) return false
  const owner = statSync(dataDir).uid
  const own = process.getuid?.()
  if (own !== 0 && owner !== own) {
    throw new Error(
      `${dataDir} belongs to another user (${owner}): start as before (as root, perhaps), or set LRS_DATA_DIR.`,
    )
  }
  if (!existsSync(mark))
    throw new Error(`${dataDir} is there but holds no database: move it away, or set LRS_DATA_DIR.`)
  const made = readFileSync(mark, 'utf8').trim()
  const major = binaries.version.split('.')[0]
  if (made === major) return true
  throw new Error(
    `${dataDir} was made by Postgres ${made} and this is Postgres ${major}: ` +
      'bring its data over with pg_dump, or set LRS_DATA_DIR.',
  )
}

/**
 * Makes a cluster with a database `lrs` and a role `lrs` that owns it. It gets its name when it is complete, so a
 * killed start leaves nothing that counts. `durable` syncs it to the disk, which takes longest.
 */
export async function makeCluster(
  dataDir: string,
  binaries: Binaries,
  account: Account | undefined,
  durable: boolean,
): Promise<void> {
  const making = `${dataDir}.new`
  rmSync(making, { recursive: true, force: true, maxRetries: 10 })
  mkdirSync(dirname(dataDir), { recursive: true, mode: 0o700 })
  mkdirSync(making, { mode: 0o700 })
  if (account !== undefined) chownSync(making, account.uid, account.gid)
  const place = reachableFolder(making, account)
  const initdb = [
    '-D',
    place.folder,
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--auth=trust',
    '--no-instructions',
  ]
  await run(binaries.initdb, [...initdb, '--no-sync'], place)
  const sql = 'CREATE ROLE lrs LOGIN CREATEDB;\nCREATE DATABASE lrs OWNER lrs;\n'
  await run(binaries.postgres, ['--single', '-D', place.folder, '-c', 'fsync=off', 'postgres'], place, sql)
  const method = process.platform === 'linux' ? ['--sync-method=syncfs'] : []
  if (durable) await run(binaries.initdb, ['-D', place.folder, '--sync-only', ...method], place)
  renameSync(making, dataDir)
}

function run(command: string, args: string[], place: Place, input = ''): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, place.options)
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    let said = ''
    const keep = (chunk: Buffer): void => void (said = (said + chunk).slice(-4000))
    child.stderr.on('data', keep)
    child.stdout.resume()
    child.stdin.on('error', () => {}).end(input)
    child.once('error', failed)
    child.once('close', (code) => {
      process.removeListener('exit', end)
      const lines = said.split('\n').filter((line) => /error|fatal|hint|could not/i.test(line))
      if (code === 0) done()
      else failed(new Error(`Postgres could not make its data folder: ${lines.join(' ').trim() || said.trim()}`))
    })
  })
}
