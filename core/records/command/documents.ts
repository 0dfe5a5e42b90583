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

/** If-Match, If-None-Match (empty: not sent) and If-Unmodified-Since (seconds since 1970; 0: not sent). */
export interface When {
  readonly ifMatch: string
  readonly ifNoneMatch: string
  readonly unmodifiedSince: number
}

export interface DocumentWrite {
  readonly scope: DocumentScope
  readonly id: string
  readonly content: Uint8Array
  readonly contentType: string
  readonly when: When
  /** Join two JSON objects (POST) instead of replacing. */
  readonly merge: boolean
}

/** Puts or merges a document (xAPI 1.0.3 Communication 2.2), and returns its new ETag. @throws Problem, Refusal */
export async function putDocument(needs: Needs, caller: Caller, write: DocumentWrite): Promise<string> {
  const { store } = needs
  const { kind } = write.scope
  const location = await locationToChange(needs, caller, write.scope)
  const id = documentIdParameter(write.id, idName(kind))
  if (write.content.byteLength > sizes.document) throw new Refusal('too-large', ours(tooLarge(sizes.document)))
  const document = contentOf(Buffer.from(write.content), write.contentType)
  const required = write.merge ? 'never' : requiredOf(caller, kind)
  const conditions = await conditionsOf(store, caller, { location, id, required }, write.when)
  const { change, etag } = write.merge
    ? await mergeDocument(needs, caller, { location, id, conditions }, document)
    : {
        change: await store.documents.change(caller, location, documentKey(id), id, document, conditions),
        etag: document.etag,
      }
  settle(change)
  return etag
}

/** Removes one document; it is no error when there is none. */
export async function deleteDocument(needs: Needs, caller: Caller, scope: DocumentScope, id: string, when: When) {
  const { documents } = needs.store
  const location = await locationToChange(needs, caller, scope)
  const checked = documentIdParameter(id, idName(scope.kind))
  const conditions = await conditionsOf(needs.store, caller, { location, id: checked, required: 'never' }, when)
  settle(await documents.change(caller, location, documentKey(checked), checked, undefined, conditions))
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

const otherState = () =>
  new Refusal(
    'precondition-failed',
    'The document is not in the state that If-Match, If-None-Match or If-Unmodified-Since asks for: read it again.',
  )

/** @throws Problem, Refusal of a change that was not made */
function settle(change: Change): void {
  switch (throwIfStale(change)) {
    case 'done':
      return
    case 'precondition':
      throw otherState()
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

/**
 * The conditions of a change, in the order of RFC 9110 13.2.2. The ETag of what If-Unmodified-Since allows to change becomes
 * a condition, so that nothing comes between the check and the change; without a document it does not count.
 */
async function conditionsOf(
  { documents }: Needs['store'],
  caller: Caller,
  { location, id, required }: { location: DocumentLocation; id: string; required: Conditions['required'] },
  { ifMatch, ifNoneMatch, unmodifiedSince }: When,
): Promise<Conditions> {
  const strong = tagsOf(ifMatch)?.filter((tag) => !isWeak.test(tag))
  const weak = tagsOf(ifNoneMatch)?.map((tag) => tag.replace(isWeak, ''))
  if (unmodifiedSince === 0 || strong) return { ifMatch: strong, ifNoneMatch: weak, required }
  const stored = throwIfStale(await documents.get(caller, location, documentKey(id), false))
  if (stored && Math.floor(stored.updated / 1_000_000) > unmodifiedSince) throw otherState()
  // a date is none of the conditions that some versions require
  return { ifMatch: stored && required === 'never' ? [stored.etag] : undefined, ifNoneMatch: weak, required }
}

const isWeak = /^W\//

/** The entity tags of a header without quotes; undefined when the header was not sent. */
function tagsOf(header: string): string[] | undefined {
  return header === '' ? undefined : header.split(',').map((tag) => tag.trim().replaceAll('"', ''))
}

function requiredOf({ rules }: Caller, kind: DocumentKind): Conditions['required'] {
  if (kind === 'game-document') return 'never'
  if (rules.preconditions === 'none' || (rules.preconditions === 'profiles' && kind === 'state')) return 'never'
  return kind === 'state' ? 'existing' : 'always'
}
