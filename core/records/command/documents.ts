import { sizes } from '../../../shared/limits.ts'
import { tooLarge } from '../../../shared/reasons.ts'
import { throwIfStale, type Caller } from '../access/caller.ts'
import { idName, locationOf, type DocumentKind, type DocumentScope } from '../access/document-location.ts'
import { type Reservations, requireOwnProfile } from './checks.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Change, Conditions, DocumentLocation } from '../store/cell/documents.ts'
import type { Store } from '../../store.ts'
import { documentKey } from '../xapi/document-scope.ts'
import { documentIdParameter } from '../xapi/parameters.ts'
import { Problem } from '../../process/problem.ts'
import type { HeavyWork } from '../worker/worker.ts'
import { contentOf } from './document-content.ts'
import { mergeDocument } from './merge-document.ts'
import { ours } from '../../../shared/say.ts'

interface Needs {
  readonly store: Pick<Store, 'documents'>
  readonly work: HeavyWork
  readonly reservations: Reservations
}

export interface DocumentWrite {
  readonly scope: DocumentScope
  readonly id: string
  readonly content: Uint8Array
  readonly contentType: string
  readonly ifMatch: string
  readonly ifNoneMatch: string
  /** Join two JSON objects (POST) instead of replacing. */
  readonly merge: boolean
}

/** Puts or merges a document (xAPI 1.0.3 Communication 2.2). @throws Problem, Refusal */
export async function putDocument(needs: Needs, caller: Caller, write: DocumentWrite): Promise<void> {
  const { store } = needs
  const { kind } = write.scope
  const location = await locationToChange(needs, caller, write.scope)
  const id = documentIdParameter(write.id, idName(kind))
  if (write.content.byteLength > sizes.document) throw new Refusal('too-large', ours(tooLarge(sizes.document)))
  const document = contentOf(Buffer.from(write.content), write.contentType)
  if (!write.merge) {
    const conditions = { ...conditionsOf(write), required: requiredOf(caller, kind) }
    return settle(await store.documents.change(caller, location, documentKey(id), id, document, conditions))
  }
  settle(await mergeDocument(needs, caller, { location, id, conditions: conditionsOf(write) }, document))
}

/** Removes one document; it is no error when there is none. */
export async function deleteDocument(
  needs: Needs,
  caller: Caller,
  scope: DocumentScope,
  id: string,
  when: { ifMatch: string; ifNoneMatch: string },
) {
  const location = await locationToChange(needs, caller, scope)
  const checked = documentIdParameter(id, idName(scope.kind))
  settle(
    await needs.store.documents.change(caller, location, documentKey(checked), checked, undefined, conditionsOf(when)),
  )
}

/** Removes every document of the scope. */
export async function deleteDocuments(needs: Needs, caller: Caller, scope: DocumentScope): Promise<void> {
  if (scope.kind !== 'state' && !caller.rules.profileDeleteAll) throw new Problem('profileId', 'is missing')
  throwIfStale(await needs.store.documents.deleteAll(caller, await locationToChange(needs, caller, scope)))
}

/** The location of the scope's documents, if the caller may change them. @throws Problem, Refusal */
async function locationToChange(
  { reservations }: Needs,
  caller: Caller,
  scope: DocumentScope,
): Promise<DocumentLocation> {
  const location = locationOf(caller, scope)
  if (scope.kind === 'activity-profile') requireOwnProfile(await reservations.owners(), caller, scope.activityId)
  return location
}

function settle(change: Change): void {
  switch (throwIfStale(change)) {
    case 'done':
      return
    case 'precondition':
      throw new Refusal(
        'precondition-failed',
        'The document is not in the state that If-Match or If-None-Match asks for: read it again.',
      )
    case 'full':
      throw new Problem(
        '',
        'must not be one more document: there are 10,000 already, of which some would have to be deleted',
      )
    case 'exists':
      throw new Refusal(
        'conflict',
        'The document exists: send If-Match with the ETag of the one to replace, or If-None-Match: * to create only.',
      )
    case 'missing':
      throw new Problem('', 'If-Match or If-None-Match is needed: send If-None-Match: * to create the document.')
  }
}

function conditionsOf({ ifMatch, ifNoneMatch }: { ifMatch: string; ifNoneMatch: string }): Conditions {
  return { ifMatch: tagsOf(ifMatch), ifNoneMatch: tagsOf(ifNoneMatch), required: 'never' }
}

/** The entity tags of a header without quotes and weakness; undefined when the header was not sent. */
function tagsOf(header: string): string[] | undefined {
  if (header === '') return undefined
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''))
}

function requiredOf({ rules }: Caller, kind: DocumentKind): Conditions['required'] {
  if (rules.preconditions === 'none' || (rules.preconditions === 'profiles' && kind === 'state')) return 'never'
  return kind === 'state' ? 'existing' : 'always'
}
