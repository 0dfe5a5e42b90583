import { createHash } from 'node:crypto'
import { mkdtemp, open, rm, stat, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { Build } from '../gen/lrs/v1/games_pb.js'
import type { CoreClient } from './core-client.ts'
import { Failed } from './failed.ts'
import { filesOf, hashed, type HashedFile } from './folder-files.ts'
import { progress } from './progress.ts'
import { longBytes } from './send-upload.ts'
import type { Session } from './session.ts'
import { amount, bytes, number } from './show.ts'
import { zipFiles } from './zip-folder.ts'

/** A file that travels. It can be read at any place, more than once. */
export interface Package {
  readonly file: FileHandle
  readonly name: string
  readonly size: number
  readonly sha256: string
}

/** What is pushed. */
export interface Content {
  /** Whether a build of the game has the same content. */
  isSame(build: Build): boolean
  /** Every file of a folder of which only some travel, else none. */
  readonly listed: readonly HashedFile[]
  /** Bytes of all of it. */
  readonly size: number
  /** What travels and what stays, for a person. */
  readonly plan: readonly string[]
  /** Makes what travels. */
  withPackage<Result>(use: (pack: Package) => Promise<Result>): Promise<Result>
}

/** Core takes no longer list of files: a build with one travels whole. */
const mostOfList = 900 * 1024
const compareMs = 60_000

/** @param gameId whose builds it is compared with @throws Failed */
export async function contentOf(
  session: Session,
  core: CoreClient,
  gameId: string,
  { path, desktop }: { readonly path: string; readonly desktop?: boolean },
): Promise<Content> {
  const found = await stat(path).catch((error: Error) => {
    throw new Failed(`${path} cannot be read: ${error.message}`)
  })
  if (found.isDirectory() && desktop) throw new Failed('A package to download is one file: pack the folder first.', 2)
  return found.isDirectory() ? ofFolder(session, core, gameId, path) : ofFile(path, found.size)
}

async function ofFile(path: string, size: number): Promise<Content> {
  const digest = await withFile(path, async ({ sha256 }) => sha256)
  return {
    isSame: (build) => build.sha256 === digest,
    listed: [],
    size,
    plan: [`${basename(path)} travels whole: ${bytes(size)}. Of a folder only changed files do.`],
    withPackage: (use) => withFile(path, use),
  }
}

async function ofFolder(session: Session, core: CoreClient, gameId: string, folder: string): Promise<Content> {
  const { files, skipped } = await filesOf(folder)
  if (skipped.length > 0) session.note(`Left out: ${skipped.slice(0, 5).join(', ')}${skipped.length > 5 ? ' …' : ''}`)
  const all = await counted('Reading', sum(files), (read) => hashed(folder, files, read))
  const isLong = all.reduce((total, { path }) => total + Buffer.byteLength(path) + 48, 0) > mostOfList
  const { missing, same } = isLong
    ? { missing: all.map((_, n) => n), same: [] as string[] }
    : await core.uploads.compareFiles({ gameId, files: all.map(messageOf) }, { timeoutMs: compareMs })
  const changed = missing.map((n) => all[n]!)
  return {
    isSame: ({ buildId }) => same.includes(buildId),
    listed: changed.length === all.length ? [] : all,
    size: sum(all),
    plan: planOf(all, changed),
    async withPackage(use) {
      const temporary = await mkdtemp(join(tmpdir(), 'games-lrs-push-'))
      const zip = join(temporary, `${basename(resolve(folder))}.zip`)
      try {
        const file = await open(zip, 'w')
        try {
          const paths = changed.map(({ path }) => path)
          await counted('Packing', sum(changed), (read) => zipFiles(folder, paths, file, read))
        } finally {
          await file.close()
        }
        return await withFile(zip, use)
      } finally {
        await rm(temporary, { recursive: true, force: true })
      }
    },
  }
}

/** A file as core takes it. */
export const messageOf = ({ path, size, sha256 }: HashedFile) => ({ path, size: BigInt(size), sha256 })

function planOf(all: readonly HashedFile[], changed: readonly HashedFile[]): string[] {
  const whole = `${amount(all.length, 'file')}, ${bytes(sum(all))}`
  const [largest] = changed.toSorted((a, b) => b.size - a.size)
  const big = largest && largest.size > longBytes && largest.size > sum(all) / 2 ? largest : undefined
  return [
    changed.length === all.length
      ? `All ${whole}, travel: no build of the game has any of them.`
      : `${number(changed.length)} of ${whole}, travel: ${bytes(sum(changed))}. Builds of the game have the others.`,
    ...(big ? [`${big.path} has ${bytes(big.size)}: one file travels whole, also when one byte of it changes.`] : []),
  ]
}

const sum = (files: readonly { size: number }[]): number => files.reduce((total, { size }) => total + size, 0)

/** Shows how far work on bytes is. */
async function counted<Result>(
  what: string,
  total: number,
  work: (read: (bytes: number) => void) => Promise<Result>,
): Promise<Result> {
  const bar = progress(what, bytes, longBytes)
  let done = 0
  try {
    return await work((read) => bar.show((done += read), total))
  } finally {
    bar.end()
  }
}

async function withFile<Result>(path: string, use: (pack: Package) => Promise<Result>): Promise<Result> {
  const file = await open(path)
  try {
    const hash = createHash('sha256')
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) hash.update(chunk as Buffer)
    return await use({ file, name: basename(path), size: (await file.stat()).size, sha256: hash.digest('hex') })
  } finally {
    await file.close()
  }
}
