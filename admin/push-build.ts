import type { ListBuildsResponse } from '../gen/lrs/v1/builds_pb.js'
import { BuildKind, type Build } from '../gen/lrs/v1/games_pb.js'
import { Channel, UploadKind, type Upload } from '../gen/lrs/v1/uploads_pb.js'
import { buildName } from './build-name.ts'
import type { Work } from './command.ts'
import type { CoreClient } from './core-client.ts'
import { Failed } from './failed.ts'
import { needPersonal } from './need-personal.ts'
import { contentOf, messageOf, type Package } from './push-content.ts'
import { checkMs, longBytes, portalAddress, sendUpload } from './send-upload.ts'
import type { Session } from './session.ts'
import { bytes, type Shown } from './show.ts'

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
  readonly dryRun?: boolean
}

type Outcome = 'uploaded' | 'unchanged' | 'promoted'

/** Brings a build to a channel of a game; does nothing if the same build is there. */
export const pushBuild: Work<Options> = async (session, options) => {
  if (options.submit && options.channel === 'beta')
    throw new Failed('A beta is not reviewed: "games promote" submits it, or use --channel live --submit.', 2)
  needPersonal(session)
  const core = await session.connect()
  const game = await core.builds.listBuilds({ game: options.game })
  const content = await contentOf(session, core, game.gameId, options)
  const kind = options.desktop ? BuildKind.DESKTOP : BuildKind.BROWSER
  const same = (build: Build | undefined) => build !== undefined && build.kind === kind && content.isSame(build)
  const there = newest(game, options.channel)
  const isPromoted = options.submit === true && same(game.beta) && game.allowed.includes('promote')
  const outcome: Outcome = same(there) ? 'unchanged' : isPromoted ? 'promoted' : 'uploaded'
  if (options.dryRun) return planned(game, options, outcome, outcome === 'uploaded' ? content.plan : [])
  if (outcome === 'unchanged') {
    const submitted = options.submit === true && same(game.staged) && game.allowed.includes('submit')
    if (submitted) await core.games.submitForReview({ gameId: game.gameId, message: options.message ?? '' })
    return shown(session, game, there!, { outcome, submitted, sent: 0 }, options)
  }
  if (outcome === 'promoted') {
    const { buildId } = game.beta!
    await core.builds.promote({ gameId: game.gameId, buildId, message: options.message ?? '' })
    return shown(session, game, game.beta!, { outcome, submitted: true, sent: 0 }, options)
  }
  const isLong = content.size > longBytes
  if (isLong) for (const line of content.plan) session.note(line)
  return content.withPackage(async (pack) => {
    const upload = await begin(session, core, game.gameId, pack, options)
    await sendUpload(session, pack.file, upload, options.portal)
    if (isLong) session.note('Core checks and unpacks the build.')
    const { uploadId } = upload
    const finalized = { uploadId, files: content.listed.map(messageOf) }
    const { id } = await core.uploads.finalizeUpload(finalized, { timeoutMs: checkMs })
    const submitted = options.submit === true
    if (submitted) await core.games.submitForReview({ gameId: game.gameId, message: options.message ?? '' })
    const after = await core.builds.listBuilds({ game: game.gameId })
    const build = [after.beta, after.staged].find((one) => one?.buildId === id)
    if (!build) throw new Failed(`The build ${id} was replaced during this push.`)
    return shown(session, game, build, { outcome, submitted, sent: pack.size }, options)
  })
}

/** The newest build for a channel, though it may still wait for its review. */
const newest = ({ live, staged, beta }: ListBuildsResponse, channel: Options['channel']): Build | undefined =>
  (channel === 'beta' ? beta : undefined) ?? staged ?? live

/** Continues an upload of the same package that was cut off, or begins one. Core knows it by the hash. */
async function begin(
  session: Session,
  core: CoreClient,
  gameId: string,
  { name, size, sha256 }: Package,
  { channel, label = '', notes = '', desktop }: Options,
): Promise<Upload> {
  const wanted = {
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
  const parts = Object.entries(wanted).filter(([part]) => part !== 'gameId') as [keyof Upload, unknown][]
  const cutOff = uploads.find((upload) => parts.every(([part, value]) => upload[part] === value))
  if (!cutOff) return (await core.uploads.requestUpload(wanted)).upload!
  const upload = (await core.uploads.resumeUpload({ uploadId: cutOff.uploadId })).upload!
  const left = upload.missing.reduce((sum, part) => sum + Number(part.size), 0)
  // if all parts are missing, nothing is continued
  if (left < size) session.note(`Continuing an upload that was cut off: ${bytes(left)} of ${bytes(size)} are missing.`)
  return upload
}

/** What a push would do. */
function planned(
  { gameId, slug }: ListBuildsResponse,
  { channel }: Options,
  outcome: Outcome,
  plan: readonly string[],
) {
  const text = {
    uploaded: `Would push to ${channel} of ${slug}:`,
    unchanged: `Nothing changed: ${channel} of ${slug} has this build.`,
    promoted: `Would submit the beta of ${slug}: it has the same files.`,
  }[outcome]
  return { json: { gameId, slug, channel, outcome, dryRun: true, plan: [...plan] }, text: [text, ...plan].join('\n') }
}

function shown(
  session: Session,
  { gameId, slug }: ListBuildsResponse,
  { buildId, number, version, sha256, size }: Build,
  { outcome, submitted, sent }: { readonly outcome: Outcome; readonly submitted: boolean; readonly sent: number },
  { channel, portal }: Options,
): Shown {
  const at = portalAddress(session, portal)
  const preview = at === undefined || channel !== 'beta' ? null : new URL(`/preview/${slug}`, at).href
  const whole = Number(size)
  const json = {
    gameId,
    slug,
    channel,
    outcome,
    buildId,
    number,
    version,
    sha256,
    bytes: whole,
    sent,
    submitted,
    preview,
  }
  const name = buildName({ number, version })
  const part = sent < whole ? `, of which ${bytes(sent)} were sent` : ''
  const what = {
    uploaded: `Pushed to ${channel}: ${name}, ${bytes(whole)}${part}.`,
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
