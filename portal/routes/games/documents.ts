import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { GetDocumentResponse } from '../../../gen/lrs/v1/documents_pb.js'
import { documentPage, documentsPage } from '../../pages/games/documents.ts'
import { failureIn } from '../../web/failure.ts'
import { routes, type Refused } from '../../web/routes.ts'
import { notice, uuid, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'

const done: Readonly<Record<string, string>> = {
  saved: 'Saved. Players get it from now on.',
  deleted: 'The document is deleted.',
}

/** Documents that a studio writes for its game. */
export const documents = (portal: Portal): Router =>
  routes(portal)
    .developer('GET /games/:id/documents', async (visit) => {
      const game = await gameOf(visit)
      const { documents } = game.credential
        ? await visit.core.gameDocuments.listGameDocuments({ gameId: uuid(visit) })
        : { documents: [] }
      return documentsPage(visit, game, documents, notice(visit, done))
    })
    .developer('GET /games/:id/documents/edit', (visit) => show(visit, visit.query('document')))
    .developer(
      'POST /games/:id/documents',
      async (visit) => {
        await visit.core.gameDocuments.putGameDocument({
          ...named(visit),
          content: Buffer.from(visit.form('content')),
          contentType: visit.form('content_type'),
        })
        return `${listOf(visit)}?done=saved`
      },
      again,
    )
    .developer(
      'POST /games/:id/documents/delete',
      async (visit) => {
        await visit.core.gameDocuments.deleteGameDocument(named(visit))
        return `${listOf(visit)}?done=deleted`
      },
      again,
    )

const listOf = (visit: Visit): string => `/games/${uuid(visit)}/documents`

/** The document of a form, as it was when the form was opened. */
function named(visit: Visit) {
  const etag = visit.form('etag')
  const precondition = etag === '' ? { ifNoneMatch: '*' } : { ifMatch: etag }
  return { gameId: uuid(visit), documentId: visit.form('document_id'), precondition }
}

const again = (visit: Visit, sent: Refused) => show(visit, visit.form('document_id'), sent)

async function show(visit: Visit, id: string, sent?: Refused) {
  const game = await gameOf(visit)
  return documentPage(visit, game, id, id === '' ? undefined : await find(visit, id), sent)
}

/** Undefined: there is none of this name. */
async function find({ core, request }: Visit, documentId: string): Promise<GetDocumentResponse | undefined> {
  try {
    return (await core.gameDocuments.getGameDocument({ gameId: String(request.params['id']), documentId })).document
  } catch (error) {
    if (failureIn(error).reason !== Reason.NOT_FOUND) throw error
    return undefined
  }
}
