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

/** A file to send. It can be read from any position, more than once. */
export interface Package {
  readonly file: FileHandle
  readonly name: string
  readonly size: number
  readonly sha256: string
}

/** A folder or a file to push. */
export interface Content {
  /** Whether a build of the game has the same content. */
  isSame(build: Build): boolean
  /** All files of a folder, if the package has only some of them; else empty. */
  readonly listed: readonly HashedFile[]
  /** Bytes of the whole build. */
  readonly size: number
  /** Lines for a person: what is to be sent. */
  readonly plan: readonly string[]
  /** Makes the package. */
  withPackage<Result>(use: (pack: Package) => Promise<Result>): Promise<Result>
}

/** Core takes no longer list of files. Without a list, the whole build is sent. */
const maxListBytes = 900 * 1024
const compareMs = 60_000

/** @param gameId of the game with whose builds to compare @throws Failed */
export async function contentOf(
  session: Session,
  core: CoreClient,
  gameId: string,
  { path, desktop }: { readonly path: string; readonly desktop?: boolean },
): Promise<Content> {
  const entry = await stat(path).catch((error: Error) => {
    throw new Failed(`${path} cannot be read: ${error.message}`)
  })
  if (entry.isDirectory() && desktop) throw new Failed('A package to download is one file: pack the folder first.', 2)
  return entry.isDirectory() ? ofFolder(session, core, gameId, path) : ofFile(path, entry.size)
}

async function ofFile(path: string, size: number): Promise<Content> {
  const digest = await withFile(path, async ({ sha256 }) => sha256)
  return {
    isSame: (build) => build.sha256 === digest,
    listed: [],
    size,
    plan: [`Sends all of ${basename(path)}: ${bytes(size)}. Of a folder it sends changed files only.`],
    withPackage: (use) => withFile(path, use),
  }
}

async function ofFolder(session: Session, core: CoreClient, gameId: string, folder: string): Promise<Content> {
  const { files, skipped } = await filesOf(folder)
  if (skipped.length > 0) session.note(`Left out: ${skipped.slice(0, 5).join(', ')}${skipped.length > 5 ? ' …' : ''}`)
  const all = await counted('Reading', sum(files), (read) => hashed(folder, files, read))
  const isLong = all.reduce((total, { path }) => total + Buffer.byteLength(path) + 48, 0) > maxListBytes
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

/** The message for core. */
export const messageOf = ({ path, size, sha256 }: HashedFile) => ({ path, size: BigInt(size), sha256 })

function planOf(all: readonly HashedFile[], changed: readonly HashedFile[]): string[] {
  const whole = `${amount(all.length, 'file')}, ${bytes(sum(all))}`
  const [largest] = changed.toSorted((a, b) => b.size - a.size)
  const big = largest && largest.size > longBytes && largest.size > sum(all) / 2 ? largest : undefined
  return [
    changed.length === all.length
      ? `Sends all ${whole}: no build of the game has any of them.`
      : `Sends ${number(changed.length)} of ${whole}: ${bytes(sum(changed))}. Builds of the game have the others.`,
    ...(big ? [`${big.path} has ${bytes(big.size)}: if one byte of a file changes, the whole file is sent.`] : []),
  ]
}

const sum = (files: readonly { size: number }[]): number => files.reduce((total, { size }) => total + size, 0)

/** Shows how many bytes of the work are done. */
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
