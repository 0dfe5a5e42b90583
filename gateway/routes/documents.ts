import type { IncomingMessage } from 'node:http'
import { type MessageInitShape, create } from '@bufbuild/protobuf'
import {
  type DocumentScopeSchema,
  type PutDocumentRequest,
  DeleteDocumentRequestSchema,
  DeleteDocumentsRequestSchema,
  GetDocumentRequestSchema,
  ListDocumentsRequestSchema,
  PutDocumentRequestSchema,
} from '../../gen/lrs/v1/documents_pb.js'
import { wrongContentType } from '../../shared/headers.ts'
import { sizes } from '../../shared/limits.ts'
import { ours } from '../../shared/say.ts'
import { json, type Answer } from '../http/answer.ts'
import { invalid } from '../http/failure.ts'
import { required, text, type KnownParameters, type ParameterValues } from '../http/head.ts'
import type { Relay } from '../core-connection/relay.ts'
import type { Action, RequestContext, Resource } from '../resource.ts'
import { httpDateOf, secondsOf } from '../http/time.ts'
import { paths } from '../../shared/rest.ts'

/** The differences between the three kinds of documents. */
export interface DocumentKind {
  path: string
  /** The parameter that names one document. */
  idName: 'stateId' | 'profileId' | 'documentId'
  /** The parameters that name the scope. */
  scopeParameters: KnownParameters
  scope(parameters: ParameterValues): MessageInitShape<typeof DocumentScopeSchema>
}

const defaultType = 'application/octet-stream'

/** No browser may run a document, or show it as a page of this origin. */
const confinement = ['Content-Security-Policy', "sandbox; default-src 'none'", 'Content-Disposition', 'attachment']

/** A document resource (xAPI 1.0.3 Communication 2.2). */
export function documents({ path, idName, scopeParameters, scope }: DocumentKind): Resource {
  const one = { ...scopeParameters, [idName]: required }
  const some = { ...scopeParameters, [idName]: text }

  const put = (merge: boolean): Action => ({
    parameters: one,
    body: { limit: sizes.document, check: checkType },
    async run({ parameters, headers, body, caller }, relay) {
      const call: PutDocumentRequest = create(PutDocumentRequestSchema, {
        scope: scope(parameters),
        id: parameters[idName],
        content: body,
        contentType: headers['content-type'] ?? defaultType,
        precondition: preconditionOf(headers),
        merge,
      })
      const { etag } = await relay.call('putDocument', call, caller)
      return { status: 204, etag: etag || undefined }
    },
  })

  const get: Action = {
    parameters: { ...some, since: text },
    run(context, relay) {
      const { parameters } = context
      if (parameters[idName] === undefined) return list(context, relay)
      if (parameters['since'] !== undefined) throw invalid('since', `cannot be combined with ${idName}`)
      return getOne(context, relay, parameters[idName])
    },
  }

  const remove: Action = {
    parameters: some,
    async run({ parameters, headers, caller }, relay) {
      const id = parameters[idName]
      const precondition = preconditionOf(headers)
      if (id !== undefined) {
        await relay.call(
          'deleteDocument',
          create(DeleteDocumentRequestSchema, { scope: scope(parameters), id, precondition }),
          caller,
        )
      } else {
        if (precondition !== undefined) throw invalid(idName, 'is required with a condition')
        await relay.call('deleteDocuments', create(DeleteDocumentsRequestSchema, { scope: scope(parameters) }), caller)
      }
      return { status: 204 }
    },
  }

  async function list({ parameters, caller }: RequestContext, relay: Relay): Promise<Answer> {
    const call = create(ListDocumentsRequestSchema, { scope: scope(parameters), since: parameters['since'] })
    const { ids, updated } = await relay.call('listDocuments', call, caller)
    return json(JSON.stringify(ids), updated > 0n ? lastModified(updated) : [])
  }

  async function getOne({ parameters, caller, head }: RequestContext, relay: Relay, id: string): Promise<Answer> {
    const call = create(GetDocumentRequestSchema, { scope: scope(parameters), id, withoutContent: head })
    const { content, contentType, etag, updated, size } = await relay.call('getDocument', call, caller)
    return {
      status: 200,
      headers: ['Content-Type', contentType, ...confinement, ...lastModified(updated)],
      body: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      size,
      etag,
    }
  }

  return { path, actions: { PUT: put(false), POST: put(true), GET: get, DELETE: remove } }
}

function preconditionOf(headers: IncomingMessage['headers']) {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-unmodified-since': unmodified } = headers
  if (ifMatch === '') throw invalid('If-Match', emptyTag)
  if (ifNoneMatch === '') throw invalid('If-None-Match', emptyTag)
  const unmodifiedSince = BigInt(secondsOf(unmodified))
  if (ifMatch === undefined && ifNoneMatch === undefined && unmodifiedSince === 0n) return undefined
  return { ifMatch, ifNoneMatch, unmodifiedSince }
}
const emptyTag = 'must name an ETag, or be *'

function lastModified(micros: bigint): string[] {
  return ['Last-Modified', httpDateOf(micros)]
}

function checkType({ 'content-type': type = defaultType }: IncomingMessage['headers']): void {
  const wrong = wrongContentType(type)
  if (wrong !== undefined) throw invalid('Content-Type', ours(wrong))
}

/** The State resource (xAPI 1.0.3 Communication 2.3). */
export function state(): Resource {
  return documents({
    path: paths.state,
    idName: 'stateId',
    scopeParameters: { activityId: required, agent: required, registration: text },
    scope: ({ activityId, agent, registration }) => ({
      kind: { case: 'state', value: { activityId, agent, registration } },
    }),
  })
}

/** The Activity Profile resource (xAPI 1.0.3 Communication 2.7). */
export function activityProfile(): Resource {
  return documents({
    path: paths.activityProfile,
    idName: 'profileId',
    scopeParameters: { activityId: required },
    scope: ({ activityId }) => ({ kind: { case: 'activityProfile', value: { activityId } } }),
  })
}

/** The Agent Profile resource (xAPI 1.0.3 Communication 2.6). */
export function agentProfile(): Resource {
  return documents({
    path: paths.agentProfile,
    idName: 'profileId',
    scopeParameters: { agent: required },
    scope: ({ agent }) => ({ kind: { case: 'agentProfile', value: { agent } } }),
  })
}

/** Documents that the studio wrote for its game: no resource of xAPI, so games only read it. */
export function gameDocument(): Resource {
  const { path, actions } = documents({
    path: paths.gameDocument,
    idName: 'documentId',
    scopeParameters: {},
    scope: () => ({ kind: { case: 'gameDocument', value: {} } }),
  })
  return { path, actions: { GET: actions['GET']! } }
}
