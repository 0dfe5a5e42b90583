import { open, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { SettingError, url } from '../../shared/settings/settings.ts'
import { UploadKind, type Upload } from '../../gen/lrs/v1/uploads_pb.js'
import { amount } from '../amount.ts'
import { Failed } from '../failed.ts'
import { gameIdOf } from '../name-game.ts'
import { progress } from '../progress.ts'
import type { Session, Work } from '../session.ts'
import { bytes } from '../show.ts'

interface Options {
  readonly desktop?: true
  readonly portal?: string
}

const partMs = 15 * 60_000
/** Core checks and unpacks the whole build. */
const checkMs = 15 * 60_000
const tries = 3

/** Sends a build in parts, as the portal's page does, and saves it as a draft. */
export const uploadBuild: Work<Options> = async (session, [named, path], { desktop, portal }) => {
  const core = await session.connect()
  const gameId = await gameIdOf(core, named!)
  const file = await open(path!)
  const bar = progress('Uploading')
  try {
    const { size } = await file.stat()
    const kind = desktop ? UploadKind.DESKTOP_BUILD : UploadKind.BROWSER_BUILD
    const asked = { gameId, kind, fileName: basename(path!), size: BigInt(size) }
    const upload = (await core.uploads.requestUpload(asked)).upload!
    let sent = 0
    for (const part of upload.missing) {
      await send(session, file, upload, part, portalOf(session, portal))
      bar.show((sent += Number(part.size)), size)
    }
    const { id } = await core.uploads.finalizeUpload({ uploadId: upload.uploadId }, { timeoutMs: checkMs })
    const text = `Uploaded: ${basename(path!)}, ${bytes(size)}. It is a draft: "games submit ${named}" submits it for review.`
    return { json: { gameId, buildId: id, bytes: size }, text }
  } finally {
    bar.end()
    await file.close()
  }
}

export const submitGame: Work<{ message?: string }> = async (session, [named], { message = '' }) => {
  const core = await session.connect()
  const gameId = await gameIdOf(core, named!)
  await core.games.submitForReview({ gameId, message })
  return { json: { gameId }, text: `Submitted for review: ${named}.` }
}

/** One part; a part that was cut off is sent again. */
async function send(
  { ending }: Session,
  file: FileHandle,
  { partSize }: Upload,
  { number, url: address, size }: Upload['missing'][number],
  portal: () => string,
): Promise<void> {
  const content = Buffer.alloc(Number(size))
  await file.read(content, 0, content.length, (number - 1) * Number(partSize))
  const to = URL.canParse(address) ? address : new URL(address, portal())
  for (let left = tries - 1; ; left--) {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(partMs)])
    const answer = await fetch(to, { method: 'PUT', body: content, redirect: 'error', signal }).catch(() => {
      if (ending.aborted || left === 0) throw new Failed(`Part ${number} cannot be sent to ${new URL(to).origin}.`, 3)
    })
    if (answer?.ok) return
    if (answer && (answer.status < 500 || left === 0))
      throw new Failed(
        `${new URL(to).origin} refused ${amount(content.length, 'byte')} of part ${number}: status ${answer.status}.`,
      )
  }
}

/** @throws SettingError */
const portalOf =
  ({ env }: Session, given: string | undefined) =>
  (): string => {
    const found = url('--portal', { '--portal': given }, { protocols: ['http', 'https'] }) ?? env['LRS_PORTAL_URL']
    if (found) return found
    throw new SettingError('The portal takes the file: name its address with --portal <url>, or LRS_PORTAL_URL.')
  }
