import type { RequestHandler, Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { Channel, UploadKind, type Upload } from '../../../gen/lrs/v1/uploads_pb.js'
import { slow } from '../../web/core-client.ts'
import { PageFailure } from '../../web/failure.ts'
import { routes } from '../../web/routes.ts'
import { developer, uuid, type Portal, type SignedIn } from '../../web/visit.ts'

const kinds: Readonly<Record<string, UploadKind>> = {
  'browser-build': UploadKind.BROWSER_BUILD,
  'desktop-build': UploadKind.DESKTOP_BUILD,
  'gallery-image': UploadKind.GALLERY_IMAGE,
  'teaching-note': UploadKind.TEACHING_NOTE,
  logo: UploadKind.LOGO,
}

/** Calls of upload.js, with JSON as response: `POST /games/:id/uploads` with kind, file_name, size; logos have no game. */
export function uploads(portal: Portal): Router {
  const request = json(portal, async ({ request: { params }, core, form }, gameId = String(params['id'] ?? '')) => {
    const size = /^\d{1,15}$/.test(form('size')) ? BigInt(form('size')) : -1n
    const kind = Object.hasOwn(kinds, form('kind')) ? kinds[form('kind')] : undefined
    if (size < 0n || kind === undefined)
      throw new PageFailure(Reason.INVALID, 'An upload needs kind, file_name and size.')
    const words = {
      channel: form('channel') === 'beta' ? Channel.BETA : Channel.LIVE,
      version: form('version'),
      notes: form('notes'),
    }
    const { upload } = await core.uploads.requestUpload({ gameId, kind, fileName: form('file_name'), size, ...words })
    return shown(upload!)
  })

  return routes(portal)
    .post('/uploads', request)
    .post('/games/:id/uploads', request)
    .post(
      '/uploads/:id/resume',
      json(portal, async (visit) => shown((await visit.core.uploads.resumeUpload({ uploadId: uuid(visit) })).upload!)),
    )
    .post(
      '/uploads/:id/finalize',
      json(portal, async (visit) => {
        // checking a large build takes minutes, in which nothing is sent
        visit.request.setTimeout(0)
        const { id, gameId } = await visit.core.uploads.finalizeUpload({ uploadId: uuid(visit) }, slow)
        return { id, game: gameId }
      }),
    )
    .delete(
      '/uploads/:id',
      json(portal, async (visit) => {
        await visit.core.uploads.cancelUpload({ uploadId: uuid(visit) })
        return {}
      }),
    )
    .developer('POST /games/:id/uploads/:upload/cancel', async (visit) => {
      await visit.core.uploads.cancelUpload({ uploadId: uuid(visit, 'upload') })
      return `/games/${uuid(visit)}/upload?done=discarded`
    })
}

/** Answers in JSON, errors too, whatever the request accepts. */
function json(portal: Portal, handler: (visit: SignedIn) => Promise<object>): RequestHandler {
  const answer = developer(portal, async (visit) => void visit.response.json(await handler(visit)))
  return (request, response, next) => {
    request.headers.accept = 'application/json'
    return answer(request, response, next)
  }
}

const shown = ({ uploadId, partSize, size, missing }: Upload) => ({
  id: uploadId,
  size: Number(size),
  part_size: Number(partSize),
  missing: missing.map(({ number, url, size }) => ({ number, url, size: Number(size) })),
})
