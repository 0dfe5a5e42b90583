import { createHash } from 'node:crypto'
import { mkdtemp, open, rm, stat, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { ListBuildsResponse } from '../../gen/lrs/v1/builds_pb.js'
import { BuildKind, type Build } from '../../gen/lrs/v1/games_pb.js'
import { Channel, UploadKind, type Upload } from '../../gen/lrs/v1/uploads_pb.js'
import { buildName } from '../build-name.ts'
import type { CoreClient } from '../core-client.ts'
import { Failed } from '../failed.ts'
import { needPersonal } from '../need-personal.ts'
import { checkMs, portalAddress, sendUpload } from '../send-upload.ts'
import type { Work } from '../command.ts'
import type { Session } from '../session.ts'
import { bytes } from '../show.ts'
import { zipFolder } from '../zip-folder.ts'

interface Options {
  readonly path: string
  readonly game: string
  readonly channel: 'live' | 'beta'
  readonly label?: string
  readonly notes?: string
  readonly submit?: boolean
  readonly message?: string
  readonly desktop?: boolean
  readonly portal?: string
}

/** A package that can be read at any place, more than once. */
interface Package {
  readonly file: FileHandle
  readonly name: string
  readonly size: number
  readonly sha256: string
}

/** Brings a build to a channel of a game; does nothing if the same build is there. */
export const pushBuild: Work<Options> = async (session, options) => {
  if (options.submit && options.channel === 'beta')
    throw new Failed('A beta is not reviewed: "games promote" submits it, or use --channel live --submit.', 2)
  needPersonal(session)
  const core = await session.connect()
  const game = await core.builds.listBuilds({ game: options.game })
  return withPackage(session, options.path, options.desktop === true, async (pack) => {
    const kind = options.desktop ? BuildKind.DESKTOP : BuildKind.BROWSER
    const same = (build: Build | undefined) => build?.sha256 === pack.sha256 && build.kind === kind
    const there = newest(game, options.channel)
    if (same(there)) {
      const submitted = options.submit === true && same(game.staged) && game.allowed.includes('submit')
      if (submitted) await core.games.submitForReview({ gameId: game.gameId, message: options.message ?? '' })
      return shown(session, game, there!, 'unchanged', submitted, pack, options)
    }
    if (options.submit && same(game.beta) && game.allowed.includes('promote')) {
      const { buildId } = game.beta!
      await core.builds.promote({ gameId: game.gameId, buildId, message: options.message ?? '' })
      return shown(session, game, game.beta!, 'promoted', true, pack, options)
    }
    const upload = await begin(session, core, game.gameId, pack, options)
    await sendUpload(session, pack.file, upload, options.portal)
    const { id } = await core.uploads.finalizeUpload({ uploadId: upload.uploadId }, { timeoutMs: checkMs })
    if (options.submit) await core.games.submitForReview({ gameId: game.gameId, message: options.message ?? '' })
    const after = await core.builds.listBuilds({ game: game.gameId })
    const build = [after.beta, after.staged].find((one) => one?.buildId === id)
    if (!build) throw new Failed(`The build ${id} was replaced while it was pushed.`)
    return shown(session, game, build, 'uploaded', options.submit === true, pack, options)
  })
}

/** What the channel has, or would have if everything on its way were there. */
const newest = ({ live, staged, beta }: ListBuildsResponse, channel: Options['channel']): Build | undefined =>
  (channel === 'beta' ? beta : undefined) ?? staged ?? live

/** An upload of the same package that was cut off, or a new one. The store knows it, so no file has to remember it. */
async function begin(
  session: Session,
  core: CoreClient,
  gameId: string,
  { name, size, sha256 }: Package,
  { channel, label = '', notes = '', desktop }: Options,
): Promise<Upload> {
  const asked = {
    gameId,
    kind: desktop ? UploadKind.DESKTOP_BUILD : UploadKind.BROWSER_BUILD,
    fileName: name,
    size: BigInt(size),
    channel: channel === 'beta' ? Channel.BETA : Channel.LIVE,
    version: label.trim(),
    notes: notes.trim(),
    sha256,
  }
  const { uploads } = await core.uploads.listUploads({ gameId })
  const parts = Object.entries(asked).filter(([part]) => part !== 'gameId') as [keyof Upload, unknown][]
  const cutOff = uploads.find((upload) => parts.every(([part, value]) => upload[part] === value))
  if (!cutOff) return (await core.uploads.requestUpload(asked)).upload!
  const upload = (await core.uploads.resumeUpload({ uploadId: cutOff.uploadId })).upload!
  const left = upload.missing.reduce((sum, part) => sum + Number(part.size), 0)
  session.note(`Continuing an upload that was cut off: ${bytes(left)} of ${bytes(size)} are missing.`)
  return upload
}

/** A folder is packed into a file that is removed at the end. @throws Failed */
async function withPackage<Result>(
  session: Session,
  path: string,
  desktop: boolean,
  use: (pack: Package) => Promise<Result>,
): Promise<Result> {
  const found = await stat(path).catch((error: Error) => {
    throw new Failed(`${path} cannot be read: ${error.message}`)
  })
  if (!found.isDirectory()) return withFile(await open(path), basename(path), use)
  if (desktop) throw new Failed('A package to download is one file: pack the folder first.', 2)
  const folder = await mkdtemp(join(tmpdir(), 'games-lrs-push-'))
  try {
    const file = await open(join(folder, 'build.zip'), 'w+')
    return await withFile(file, `${basename(resolve(path))}.zip`, use, async () => {
      const skipped = await zipFolder(path, file)
      if (skipped.length > 0)
        session.note(`Left out: ${skipped.slice(0, 5).join(', ')}${skipped.length > 5 ? ' …' : ''}`)
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function withFile<Result>(
  file: FileHandle,
  name: string,
  use: (pack: Package) => Promise<Result>,
  fill: () => Promise<void> = async () => {},
): Promise<Result> {
  try {
    await fill()
    const hash = createHash('sha256')
    for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) hash.update(chunk as Buffer)
    return await use({ file, name, size: (await file.stat()).size, sha256: hash.digest('hex') })
  } finally {
    await file.close()
  }
}

function shown(
  session: Session,
  { gameId, slug }: ListBuildsResponse,
  { buildId, number, version }: Build,
  outcome: 'uploaded' | 'unchanged' | 'promoted',
  submitted: boolean,
  { size, sha256 }: Package,
  { channel, portal }: Options,
) {
  const at = portalAddress(session, portal)
  const preview = at === undefined || channel !== 'beta' ? null : new URL(`/preview/${slug}`, at).href
  const json = { gameId, slug, channel, outcome, buildId, number, version, sha256, bytes: size, submitted, preview }
  const name = buildName({ number, version })
  const what = {
    uploaded: `Pushed to ${channel}: ${name}, ${bytes(size)}.`,
    unchanged: `Nothing changed: ${channel} has ${name} already.`,
    promoted: `The beta has the same files: ${name} needed no upload.`,
  }[outcome]
  const next = submitted
    ? ' It waits for review.'
    : channel === 'beta'
      ? ` Members of the studio play it${preview ? ` at ${preview}` : ': "Preview" on the page of the game'}.`
      : outcome === 'uploaded'
        ? ` It is a draft: "games submit ${slug}" submits it for review.`
        : ''
  return { json, text: what + next }
}
