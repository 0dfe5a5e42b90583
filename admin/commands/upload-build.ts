import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { command } from '../command.ts'
import { gameIdOf } from '../name-game.ts'
import { checkMs, sendUpload } from '../send-upload.ts'
import { bytes } from '../show.ts'

const byGame = { '<game>': 'id or slug (the name in URLs)' }

/** Sends a build in parts, as the portal's page does. */
export const upload = command({
  about: 'upload a build and save it as a draft; needs a personal token',
  takes: { ...byGame, '<file>': 'zip for the browser, or a package to download' },
  options: {
    '--desktop': 'the file is a package to download',
    '--portal <url>': 'address of the portal, which takes the file unless the storage is S3 (default: LRS_PORTAL_URL)',
  },
  examples: ['games upload chess dist.zip --portal https://games.example.org'],
  async run(core, { game, file: path, desktop, portal }, session) {
    const gameId = await gameIdOf(core, game)
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const kind = desktop ? UploadKind.DESKTOP_BUILD : UploadKind.BROWSER_BUILD
      const asked = { gameId, kind, fileName: basename(path), size: BigInt(size) }
      const upload = (await core.uploads.requestUpload(asked)).upload!
      await sendUpload(session, file, upload, portal)
      const { id } = await core.uploads.finalizeUpload({ uploadId: upload.uploadId }, { timeoutMs: checkMs })
      const text = `Uploaded: ${basename(path)}, ${bytes(size)}. It is a draft: "games submit ${game}" submits it for review.`
      return { json: { gameId, buildId: id, bytes: size }, text }
    } finally {
      await file.close()
    }
  },
})

export const submit = command({
  about: 'submit the draft for review; needs a personal token',
  takes: byGame,
  options: { '--message <text>': 'for the reviewer' },
  examples: ['games submit chess --message "Level 3 is new"'],
  async run(core, { game, message = '' }) {
    const gameId = await gameIdOf(core, game)
    await core.games.submitForReview({ gameId, message })
    return { json: { gameId }, text: `Submitted for review: ${game}.` }
  },
})
