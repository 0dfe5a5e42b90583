import type { Core } from '../../context.ts'
import { Problem } from '../../process/problem.ts'
import { gameDocuments } from '../../../shared/limits.ts'
import { throwIfStale } from '../../records/access/caller.ts'
import { locationOf } from '../../records/access/document-location.ts'
import { isJson } from '../../records/command/document-content.ts'
import { deleteDocument, putDocument, type DocumentWrite, type When } from '../../records/command/documents.ts'
import { parseJson } from '../../records/xapi/json.ts'
import { asGame, ofGame, type OwnGame } from '../access/as-game.ts'

/** Writes a document for the learners of a game, and returns its ETag. @throws Problem, Refusal */
export async function putGameDocument(
  core: Core,
  game: OwnGame,
  write: Pick<DocumentWrite, 'id' | 'content' | 'contentType' | 'when'>,
): Promise<string> {
  if (isJson(write.contentType)) checkJson(write.content)
  return asGame(core, game, async (caller) => {
    const stored = throwIfStale(await core.store.documents.list(caller, locationOf(caller, ofGame), 0))
    if (stored.length >= gameDocuments && !stored.some(({ id }) => id === write.id))
      throw new Problem('', `must not be one more document: a game has at most ${gameDocuments}`)
    core.room.take(caller.game, write.content.byteLength)
    return putDocument(core, caller, { ...write, scope: ofGame, merge: false })
  })
}

/** Removes one; it is no error when there is none. @throws Problem, Refusal */
export const deleteGameDocument = (core: Core, game: OwnGame, id: string, when: When): Promise<void> =>
  asGame(core, game, (caller) => deleteDocument(core, caller, ofGame, id, when))

/** @throws Problem at the content */
function checkJson(content: Uint8Array): void {
  try {
    parseJson(content)
  } catch (error) {
    throw error instanceof Problem ? new Problem('content', error.whole) : error
  }
}
