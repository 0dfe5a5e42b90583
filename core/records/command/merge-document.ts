import { sizes } from '../../../shared/limits.ts'
import { tooLarge } from '../../../shared/reasons.ts'
import type { Caller } from '../access/caller.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Change, Conditions, DocumentContent, DocumentLocation, StoredDocument } from '../store/cell/documents.ts'
import type { Store } from '../../store.ts'
import { documentKey } from '../xapi/document-scope.ts'
import { asObject, mergeDocuments } from '../xapi/merge.ts'
import { Problem } from '../../process/problem.ts'
import type { HeavyWork } from '../worker/worker.ts'
import { contentOf, isJson } from './document-content.ts'
import { ours } from '../../../shared/say.ts'

/** Two documents that are larger together are merged by the worker thread. */
const smallBytes = 128 * 1024
/** How often the stored document may change while the worker merges into it. */
const rounds = 5

/** The stored document is too large to be merged while others of its scope wait. */
class Large extends Error {
  readonly stored: StoredDocument

  constructor(stored: StoredDocument) {
    super('large')
    this.stored = stored
  }
}

/**
 * Merges a document into the stored one. Small ones are merged while writers of the scope wait. Large ones are merged
 * by the worker thread, and then stored if the old document is still the same. @throws Problem, Refusal
 */
export async function mergeDocument(
  { store, work }: { readonly store: Pick<Store, 'documents'>; readonly work: HeavyWork },
  caller: Caller,
  { location, id, conditions }: { location: DocumentLocation; id: string; conditions: Conditions },
  document: DocumentContent,
): Promise<{ change: Change; etag: string }> {
  const posted = document.content
  if (isJson(document.contentType)) {
    if (posted.byteLength <= smallBytes) asObject(posted)
    else await work.run('asObject', caller.game, new Uint8Array(posted))
  }
  let made: { into: string; content: Buffer } | undefined
  let merged = document
  const contentWith = (stored: StoredDocument | undefined): DocumentContent => {
    if (!stored) return document
    if (!isJson(stored.contentType) || !isJson(document.contentType)) {
      throw new Problem(
        '',
        'Only two documents of type application/json can be merged; use PUT to replace the one that is stored.',
      )
    }
    if (made?.into === stored.etag) return sized(made.content, stored.contentType)
    if (posted.byteLength + stored.content.byteLength > smallBytes) throw new Large(stored)
    return sized(mergeDocuments(stored.content, posted), stored.contentType)
  }
  for (let round = 0; round < rounds; round++) {
    try {
      const merge = (stored: StoredDocument | undefined) => (merged = contentWith(stored))
      const change = await store.documents.merge(caller, location, documentKey(id), id, conditions, merge)
      return { change, etag: merged.etag }
    } catch (error) {
      if (!(error instanceof Large)) throw error
      // copies, because a message to the thread takes the whole buffer behind them
      const texts = { stored: new Uint8Array(error.stored.content), posted: new Uint8Array(posted) }
      made = { into: error.stored.etag, content: Buffer.from(await work.run('merge', caller.game, texts)) }
    }
  }
  throw new Refusal('unavailable', 'The document changes too often for so large a merge; try again.')
}

function sized(content: Buffer, contentType: string): DocumentContent {
  if (content.byteLength > sizes.document) throw new Refusal('too-large', ours(tooLarge(sizes.document)))
  return contentOf(content, contentType)
}
