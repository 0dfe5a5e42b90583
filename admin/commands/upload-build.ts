import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { gameIdOf } from '../name-game.ts'
import { sendUpload } from '../send-upload.ts'
import type { Work } from '../session.ts'
import { bytes } from '../show.ts'

interface Options {
  readonly desktop?: true
  readonly portal?: string
}

/** Core checks and unpacks the whole build. */
export const checkMs = 15 * 60_000

/** Sends a build in parts, as the portal's page does, and saves it as a draft. */
export const uploadBuild: Work<Options> = async (session, [named, path], { desktop, portal }) => {
  const core = await session.connect()
  const gameId = await gameIdOf(core, named!)
  const file = await open(path!)
  try {
    const { size } = await file.stat()
    const kind = desktop ? UploadKind.DESKTOP_BUILD : UploadKind.BROWSER_BUILD
    const asked = { gameId, kind, fileName: basename(path!), size: BigInt(size) }
    const upload = (await core.uploads.requestUpload(asked)).upload!
    await sendUpload(session, file, upload, portal)
    const { id } = await core.uploads.finalizeUpload({ uploadId: upload.uploadId }, { timeoutMs: checkMs })
    const text = `Uploaded: ${basename(path!)}, ${bytes(size)}. It is a draft: "games submit ${named}" submits it for review.`
    return { json: { gameId, buildId: id, bytes: size }, text }
  } finally {
    await file.close()
  }
}

export const submitGame: Work<{ message?: string }> = async (session, [named], { message = '' }) => {
  const core = await session.connect()
  const gameId = await gameIdOf(core, named!)
  await core.games.submitForReview({ gameId, message })
  return { json: { gameId }, text: `Submitted for review: ${named}.` }
}
