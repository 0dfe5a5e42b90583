import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  DeleteDocumentRequest,
  DeleteDocumentResponseSchema,
  DeleteDocumentsRequest,
  DeleteDocumentsResponseSchema,
  DocumentScope as ScopeMessage,
  GetDocumentRequest,
  GetDocumentResponseSchema,
  ListDocumentsRequest,
  ListDocumentsResponseSchema,
  PutDocumentRequest,
  PutDocumentResponseSchema,
} from '../../gen/lrs/v1/documents_pb.js'
import type { Caller } from '../access/caller.ts'
import { deleteDocument, deleteDocuments, putDocument } from '../command/documents.ts'
import type { Bucket } from '../../shared/limits.ts'
import { getDocument, listDocuments } from '../query/documents.ts'
import type { DocumentScope } from '../access/document-location.ts'
import type { Scope } from '../store/cell/credentials.ts'
import { agentParameter } from '../xapi/parameters.ts'
import { Problem } from '../xapi/problem.ts'
import type { Operation } from './operation.ts'

export const put: Operation<PutDocumentRequest, MessageInitShape<typeof PutDocumentResponseSchema>> = {
  ...documentOperation('put-state', []),
  bypassesFairQueue: true,
  run: async (core, caller, { scope, id, content, contentType, precondition, merge }) => {
    core.sent?.take(caller, content.byteLength)
    core.room.take(caller.game, content.byteLength)
    const { ifMatch = '', ifNoneMatch = '' } = precondition ?? {}
    await putDocument(core, caller, { scope: scopeOf(scope), id, content, contentType, ifMatch, ifNoneMatch, merge })
    return {}
  },
  view: {
    name: ({ scope, merge }) => `${merge ? 'POST' : 'PUT'} ${pathOf(scope)}`,
    sent: ({ content, contentType }) =>
      /^(application\/([\w.-]+\+)?json|text\/)/i.test(contentType) ? content : undefined,
    outcome: ({ scope, id, content, merge }) => ({
      status: 204,
      message: `${merge ? 'merged into' : 'stored'} ${kindOf(scope)} “${id}”, ${content.byteLength} bytes`,
    }),
  },
}

export const get: Operation<GetDocumentRequest, MessageInitShape<typeof GetDocumentResponseSchema>> = {
  ...documentOperation('get-state', ['all/read']),
  bypassesFairQueue: true,
  run: async ({ store }, caller, { scope, id, withoutContent }) => {
    const { content, contentType, etag, updated, size } = await getDocument(
      store,
      caller,
      scopeOf(scope),
      id,
      !withoutContent,
    )
    return { content, contentType, etag: `"${etag}"`, updated: BigInt(updated), size }
  },
  view: {
    name: ({ scope, withoutContent }) => `${withoutContent ? 'HEAD' : 'GET'} ${pathOf(scope)}`,
    outcome: ({ scope, id }, { size }) => ({ status: 200, message: `read ${kindOf(scope)} “${id}”, ${size} bytes` }),
  },
}

export const list: Operation<ListDocumentsRequest, MessageInitShape<typeof ListDocumentsResponseSchema>> = {
  ...documentOperation('get-state', ['all/read']),
  run: async ({ store }, caller, { scope, since }) => {
    const documents = await listDocuments(store, caller, scopeOf(scope), since)
    return { ids: documents.map(({ id }) => id), updated: BigInt(documents.at(-1)?.updated ?? 0) }
  },
  view: {
    name: ({ scope }) => `GET ${pathOf(scope)}`,
    outcome: ({ scope }, { ids = [] }) => ({
      status: 200,
      message: `listed the ids of ${kindOf(scope)}: ${ids.length}`,
    }),
  },
}

export const remove: Operation<DeleteDocumentRequest, MessageInitShape<typeof DeleteDocumentResponseSchema>> = {
  ...documentOperation('delete-state', []),
  bypassesFairQueue: true,
  run: async (core, caller, { scope, id, precondition }) => {
    const { ifMatch = '', ifNoneMatch = '' } = precondition ?? {}
    await deleteDocument(core, caller, scopeOf(scope), id, { ifMatch, ifNoneMatch })
    return {}
  },
  view: {
    name: ({ scope }) => `DELETE ${pathOf(scope)}`,
    outcome: ({ scope, id }) => ({ status: 204, message: `deleted ${kindOf(scope)} “${id}”` }),
  },
}

export const removeAll: Operation<DeleteDocumentsRequest, MessageInitShape<typeof DeleteDocumentsResponseSchema>> = {
  ...documentOperation('delete-state', []),
  run: async (core, caller, { scope }) => {
    await deleteDocuments(core, caller, scopeOf(scope))
    return {}
  },
  view: {
    name: ({ scope }) => `DELETE ${pathOf(scope)}`,
    outcome: ({ scope }) => ({ status: 204, message: `deleted every ${kindOf(scope)} there was` }),
  },
}

/** State has a bucket for each method. Each kind of profile has one bucket for all methods. */
function documentOperation(stateBucket: Bucket, alsoEnough: Scope[]) {
  return {
    scopes: ({ scope }: { scope?: ScopeMessage }): Scope[] => [
      scopeOf(scope).kind === 'state' ? 'state' : 'profile',
      ...alsoEnough,
    ],
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
  state: { path: '/xapi/activities/state', name: 'state document' },
  activityProfile: { path: '/xapi/activities/profile', name: 'activity profile' },
  agentProfile: { path: '/xapi/agents/profile', name: 'agent profile' },
}

function pathOf(scope: ScopeMessage | undefined): string {
  return kinds[scope?.kind.case ?? 'state'].path
}

function kindOf(scope: ScopeMessage | undefined): string {
  return kinds[scope?.kind.case ?? 'state'].name
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
    case undefined:
      throw new Problem('scope', 'is missing: must be state, activity_profile or agent_profile')
  }
}
