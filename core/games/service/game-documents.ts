import type { HandlerContext } from '@connectrpc/connect'
import { GameDocumentService } from '../../../gen/lrs/v1/game_documents_pb.js'
import type { Core } from '../../context.ts'
import { ofGame, reads } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { developer } from '../../process/methods/developer.ts'
import { documentOf, whenOf } from '../../records/service/documents.ts'
import type { OwnGame } from '../access/as-game.ts'
import { deleteGameDocument, putGameDocument } from '../command/game-documents.ts'
import { getGameDocument, listGameDocuments } from '../query/game-documents.ts'

const own = async (core: Core, { gameId }: { gameId: string }, context: HandlerContext): Promise<OwnGame> => ({
  gameId,
  studio: (await developer(core, context)).studio,
})

/** Documents that a studio writes for its game. */
export const gameDocumentService = service(GameDocumentService, {
  listGameDocuments: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => ({
    documents: await listGameDocuments(core, await own(core, request, context)),
  })),
  getGameDocument: method({ right: 'analyst', token: 'read', audit: reads }, async (core, request, context) => ({
    document: documentOf(await getGameDocument(core, await own(core, request, context), request.documentId)),
  })),
  putGameDocument: method(
    {
      right: 'developer',
      token: 'games',
      audit: { ...ofGame('game.put-document'), details: ({ content }) => ({ bytes: content.byteLength }) },
    },
    async (core, request, context) => {
      const { documentId: id, content, contentType, precondition } = request
      const write = { id, content, contentType, when: whenOf(precondition) }
      return { etag: `"${await putGameDocument(core, await own(core, request, context), write)}"` }
    },
  ),
  deleteGameDocument: method(
    { right: 'developer', token: 'games', audit: ofGame('game.delete-document') },
    async (core, request, context) => {
      await deleteGameDocument(
        core,
        await own(core, request, context),
        request.documentId,
        whenOf(request.precondition),
      )
      return {}
    },
  ),
})
