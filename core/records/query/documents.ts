import { throwIfStale, type Caller } from '../access/caller.ts'
import { idName, locationOf, type DocumentScope } from '../access/document-location.ts'
import { Refusal } from '../../process/refusal.ts'
import type { StoredDocument } from '../store/cell/documents.ts'
import type { Store } from '../../store.ts'
import { documentKey } from '../xapi/document-scope.ts'
import { documentIdParameter, timeParameter } from '../xapi/parameters.ts'

/** One document, byte for byte. */
export async function getDocument(
  store: Store,
  caller: Caller,
  scope: DocumentScope,
  id: string,
  withContent: boolean,
): Promise<StoredDocument> {
  const location = locationOf(caller, scope)
  const key = documentKey(documentIdParameter(id, idName(scope.kind)))
  const document = throwIfStale(await store.documents.get(caller, location, key, withContent))
  if (!document) throw new Refusal('not-found', 'There is no such document.')
  return document
}

/** Ids of the documents of the scope, those changed strictly after `since` (ISO 8601) when it is given. */
export async function listDocuments(store: Store, caller: Caller, scope: DocumentScope, since: string) {
  const location = locationOf(caller, scope)
  return throwIfStale(await store.documents.list(caller, location, timeParameter(since, 'since') ?? 0))
}
