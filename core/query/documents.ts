import { fresh, type Caller } from '../access/caller.ts'
import { idName, placeOf, type DocumentScope } from '../access/document-location.ts'
import { Refusal } from '../refusal.ts'
import type { StoredDocument } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
import { documentKey } from '../xapi/document-scope.ts'
import { documentIdParameter, timeParameter } from '../xapi/parameters.ts'

/** One document, byte for byte. */
export async function getDocument(store: Store, caller: Caller, scope: DocumentScope, id: string, withContent: boolean): Promise<StoredDocument> {
  const place = placeOf(caller, scope)
  const key = documentKey(documentIdParameter(id, idName(scope.kind)))
  const document = fresh(await store.documents.get(caller, place, key, withContent))
  if (!document) throw new Refusal('not-found', 'There is no such document.')
  return document
}

/** Ids of the documents of the scope, those changed strictly after `since` (ISO 8601) when it is given. */
export async function listDocuments(store: Store, caller: Caller, scope: DocumentScope, since: string) {
  const place = placeOf(caller, scope)
  return fresh(await store.documents.list(caller, place, timeParameter(since, 'since') ?? 0))
}
