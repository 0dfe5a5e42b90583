import {
  DocumentService,
  type DocumentScope as ScopeMessage,
  type Precondition,
} from '../../../gen/lrs/v1/documents_pb.js'
import type { Bucket } from '../../../shared/limits.ts'
import type { XapiAction, XapiVerb } from '../../../shared/rest.ts'
import type { Caller } from '../access/caller.ts'
import type { DocumentScope } from '../access/document-location.ts'
import { deleteDocument, deleteDocuments, putDocument } from '../command/documents.ts'
import { getDocument, listDocuments } from '../query/documents.ts'
import type { Scope } from '../store/cell/credentials.ts'
import type { StoredDocument } from '../store/cell/documents.ts'
import { agentParameter } from '../xapi/parameters.ts'
import { Refusal } from '../../process/refusal.ts'
import { Problem } from '../../process/problem.ts'
import { service } from '../../process/methods/declaration.ts'
import { forGames } from '../calls/for-games.ts'
import { unary } from '../calls/operation.ts'
import { exported, traffic } from '../../process/methods/audit-entries.ts'

const put = unary(DocumentService.method.putDocument, {
  action: ({ scope, merge }) => actionOf(merge ? 'merge' : 'put', scope),
  ...countedAs('put-state', []),
  bypassesFairQueue: true,
  run: async (core, caller, { scope, id, content, contentType, precondition, merge }) => {
    core.sent?.take(caller, content.byteLength)
    core.room.take(caller.game, content.byteLength)
    const when = whenOf(precondition)
    const etag = await putDocument(core, caller, {
      scope: writtenScopeOf(scope),
      id,
      content,
      contentType,
      when,
      merge,
    })
    return { etag: `"${etag}"` }
  },
  shown: {
    sent: ({ content, contentType }) =>
      /^(application\/([\w.-]+\+)?json|text\/)/i.test(contentType) ? content : undefined,
    outcome: ({ scope, id, content, merge }) => ({
      message: `${merge ? 'merged into' : 'stored'} ${kindOf(scope)} “${id}”, ${content.byteLength} bytes`,
    }),
  },
})

const get = unary(DocumentService.method.getDocument, {
  action: ({ scope, withoutContent }) => actionOf(withoutContent ? 'look' : 'read', scope),
  ...countedAs('get-state', ['all/read']),
  bypassesFairQueue: true,
  run: async ({ store }, caller, { scope, id, withoutContent }) => {
    return documentOf(await getDocument(store, caller, scopeOf(scope), id, !withoutContent))
  },
  shown: {
    outcome: ({ scope, id }, { size }) => ({ message: `read ${kindOf(scope)} “${id}”, ${size} bytes` }),
  },
})

const list = unary(DocumentService.method.listDocuments, {
  action: ({ scope }) => actionOf('read', scope),
  ...countedAs('get-state', ['all/read']),
  run: async ({ store }, caller, { scope, since }) => {
    const documents = await listDocuments(store, caller, scopeOf(scope), since)
    return { ids: documents.map(({ id }) => id), updated: BigInt(documents.at(-1)?.updated ?? 0) }
  },
  shown: {
    outcome: ({ scope }, { ids = [] }) => ({
      message: `listed the ids of ${kindOf(scope)}: ${ids.length}`,
    }),
  },
})

const remove = unary(DocumentService.method.deleteDocument, {
  action: ({ scope }) => actionOf('remove', scope),
  ...countedAs('delete-state', []),
  bypassesFairQueue: true,
  run: async (core, caller, { scope, id, precondition }) => {
    await deleteDocument(core, caller, writtenScopeOf(scope), id, whenOf(precondition))
    return {}
  },
  shown: {
    outcome: ({ scope, id }) => ({ message: `deleted ${kindOf(scope)} “${id}”` }),
  },
})

const removeAll = unary(DocumentService.method.deleteDocuments, {
  action: ({ scope }) => actionOf('remove', scope),
  ...countedAs('delete-state', []),
  run: async (core, caller, { scope }) => {
    await deleteDocuments(core, caller, writtenScopeOf(scope))
    return {}
  },
  shown: {
    outcome: ({ scope }) => ({ message: `deleted every ${kindOf(scope)} there was` }),
  },
})

export const documentService = service(DocumentService, {
  putDocument: forGames(put, { audit: traffic }),
  getDocument: forGames(get, { audit: exported }),
  listDocuments: forGames(list, { audit: traffic }),
  deleteDocument: forGames(remove, { audit: traffic }),
  deleteDocuments: forGames(removeAll, { audit: traffic }),
})

export const documentOf = ({ content, contentType, etag, updated, size }: StoredDocument) => ({
  content,
  contentType,
  etag: `"${etag}"`,
  updated: BigInt(updated),
  size,
})

/** What a call asks for, of a write. */
export const whenOf = ({ ifMatch = '', ifNoneMatch = '', unmodifiedSince = 0n }: Partial<Precondition> = {}) => ({
  ifMatch,
  ifNoneMatch,
  unmodifiedSince: Number(unmodifiedSince),
})

const scopesOf: Readonly<Record<DocumentScope['kind'], readonly Scope[]>> = {
  state: ['state'],
  'activity-profile': ['profile'],
  'agent-profile': ['profile'],
  'game-document': ['state', 'profile'],
}

/** State has a bucket for each method. Each other kind has one bucket for all methods. */
function countedAs(stateBucket: Bucket, alsoEnough: Scope[]) {
  return {
    scopes: ({ scope }: { scope?: ScopeMessage }): Scope[] => [...scopesOf[scopeOf(scope).kind], ...alsoEnough],
    counts: ({ scope }: { scope?: ScopeMessage }, caller: Caller) => {
      const { kind, agent } = scopeOf(scope)
      return { bucket: kind === 'state' ? stateBucket : kind, owner: `${caller.key} ${ownerOf(caller, agent)}` }
    },
  }
}

/** The owner of the bucket: the launch token's learner, else the agent of the `agent` parameter, else one for all. */
function ownerOf(caller: Caller, agent: string): string {
  return caller.learner?.agent ?? (agent === '' ? '' : agentParameter(agent, 'agent', caller.rules).key)
}

const kinds = {
  state: 'state document',
  activityProfile: 'activity profile',
  agentProfile: 'agent profile',
  gameDocument: 'document of the game',
}

const kindOf = (scope: ScopeMessage | undefined): string => kinds[scope?.kind.case ?? 'state']

const actionOf = (verb: XapiVerb, scope: ScopeMessage | undefined): XapiAction =>
  `${verb} ${scope?.kind.case ?? 'state'}`

/** Games do not write the documents of their studio. @throws Refusal 'forbidden' */
function writtenScopeOf(message: ScopeMessage | undefined): DocumentScope {
  const scope = scopeOf(message)
  if (scope.kind !== 'game-document') return scope
  throw new Refusal('forbidden', 'The studio writes the documents of its game; the game only reads them.')
}

function scopeOf(message: ScopeMessage | undefined): DocumentScope {
  const { kind } = message ?? { kind: { case: undefined } }
  switch (kind.case) {
    case 'state':
      return {
        kind: 'state',
        activityId: kind.value.activityId,
        agent: kind.value.agent,
        registration: kind.value.registration,
      }
    case 'activityProfile':
      return { kind: 'activity-profile', activityId: kind.value.activityId, agent: '', registration: '' }
    case 'agentProfile':
      return { kind: 'agent-profile', activityId: '', agent: kind.value.agent, registration: '' }
    case 'gameDocument':
      return { kind: 'game-document', activityId: '', agent: '', registration: '' }
    case undefined:
      throw new Problem('scope', 'is missing: must be state, activity_profile, agent_profile or game_document')
  }
}
