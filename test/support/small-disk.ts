import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../start/postgres.ts'
import { databaseAt } from './database.ts'
import { startProcesses, type Processes } from './processes.ts'
import { databaseUrl } from './template.ts'

export const MiB = 1024 * 1024
/** As LRS_DISK_RESERVE: below it Postgres takes only essential writes, below a quarter of it none. */
export const reserve = 64 * MiB

/** Whether a disk can be had that is small enough to fill. */
export const mounted = canMount()

function canMount(): boolean {
  const folder = makeFolder()
  try {
    mount(folder)
    execFileSync('umount', [folder])
    return true
  } catch {
    console.warn(
      'NOT RUN: a full disk needs a file system that may be mounted (root on Linux); start/postgres/keep-space.test.ts runs the rule alone.',
    )
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'lrs-full-')))
}

function mount(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=420m,mode=755', 'lrs-test', folder], { stdio: 'ignore' })
}

export interface SmallDisk extends Processes {
  /** Bytes. */
  free(): number
  /** Fills the disk until the given number of bytes is free. */
  fill(leave: number): void
  /** Frees the space that `fill` took. */
  clear(): void
  /** Of Postgres. */
  log(): string
}

/** A core and a gateway whose database and files are on a small disk; call it only if `mounted`. */
export async function startOnSmallDisk(env: Record<string, string> = {}): Promise<SmallDisk> {
  const folder = makeFolder()
  mount(folder)
  const log = join(folder, 'postgres.log')
  const postgres = await startPostgres({ dataDir: join(folder, 'data', 'postgres'), log, reserve })
  const storage = join(folder, 'storage')
  mkdirSync(storage)
  const processes = await startProcesses({
    database: databaseAt(databaseUrl(postgres.url, 'lrs')),
    env: { LRS_STORAGE_DIR: storage, LRS_DISK_RESERVE: `${reserve}`, ...env },
  })
  const ballast: string[] = []
  const free = () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
  return {
    ...processes,
    free,
    fill(leave) {
      ballast.push(join(folder, `ballast${ballast.length}`))
      writeFileSync(ballast.at(-1)!, Buffer.alloc(Math.max(0, free() - leave)))
    },
    clear: () => ballast.splice(0).forEach((file) => rmSync(file)),
    log: () => readFileSync(log, 'utf8'),
    async close() {
      await processes.close()
      await postgres.stop()
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
