import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccountService } from '../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../gen/lrs/v1/attachments_pb.js'
import { DocumentService } from '../gen/lrs/v1/documents_pb.js'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { GameService } from '../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../gen/lrs/v1/identity_pb.js'
import { InsightService } from '../gen/lrs/v1/insights_pb.js'
import { LaunchService } from '../gen/lrs/v1/launches_pb.js'
import { QuotaService } from '../gen/lrs/v1/quotas_pb.js'
import { StatementService } from '../gen/lrs/v1/statements_pb.js'
import { UploadService } from '../gen/lrs/v1/uploads_pb.js'
import { startSystem, tokens, type System } from './support/system.ts'
import { player } from './support/statements.ts'
import { bearer } from './support/xapi.ts'

let system: System
let sessionManager: Http2SessionManager
let key: string
const services = new Set(Object.values(tokens).map(bearer))
const shown: Record<string, string> = { nobody: '', ...Object.fromEntries(Object.entries(tokens).map(([role, token]) => [role, bearer(token)])) }
beforeAll(async () => {
  system = await startSystem({ gateways: 0 })
  sessionManager = new Http2SessionManager(`http://127.0.0.1:${system.cores[0]!.port}`)
  const game = await system.game()
  key = game.key
  Object.assign(shown, { game: game.authorization, learner: await game.launch(player('ann')), forged: bearer('x'.repeat(43)) })
})
afterAll(() => {
  sessionManager.abort()
  return system.close()
})

const studios = ['portal', 'admin']
const games = ['service', 'portal', 'admin']
/** Who gets past the door of each service, and of methods that differ from theirs. Written down here once more: the table in core has to agree. */
const doors: [DescService, readonly string[], Record<string, readonly string[]>][] = [
  [AccountService, studios, { setReviewer: ['admin'], setTrusted: ['admin'], resetPassword: ['admin'], listStudios: ['admin'] }],
  [AdminService, ['admin'], { importStatements: ['admin', 'service'] }],
  [GameService, studios, {}],
  [IdentityService, ['admin'], {}],
  [InsightService, studios, {}],
  [LaunchService, studios, { getLaunch: ['portal', 'player', 'admin'] }],
  [UploadService, studios, {}],
  [QuotaService, studios, { listLimits: ['nobody', 'forged', 'game', 'learner', 'gateway', 'player', ...games], getStudioUsage: ['admin'], setQuota: ['admin'] }],
  [StatementService, ['game', 'learner', ...games], {}],
  [DocumentService, ['game', 'learner', ...games], {}],
  [AttachmentService, ['game', 'learner', ...games], {}],
]

const agent = JSON.stringify(player('ann'))
const scope = { kind: { case: 'agentProfile', value: { agent } } }
const document = { scope, id: 'x' }
/** The contract refuses some empty messages before anybody asks who calls. */
const messages: Record<string, object> = {
  getPerson: { agent }, getActivity: { activityId: 'https://example.org/a' }, getAttachment: { sha2: 'a'.repeat(64) },
  storeWithAttachments: { part: { case: 'statements', value: {} } }, importStatements: { part: { case: 'end', value: {} } },
  putDocument: { ...document, contentType: 'text/plain' }, getDocument: document, deleteDocument: document, listDocuments: { scope }, deleteDocuments: { scope },
}

/** Calls a method with as little as it takes; why it was refused. */
async function refusalOf(service: DescService, { localName, methodKind }: DescMethod, authorization: string): Promise<string> {
  const authorize: Interceptor = (next) => (request) => {
    if (authorization !== '') request.header.set('authorization', authorization)
    if (services.has(authorization)) request.header.set('x-lrs-credential', key)
    return next(request)
  }
  const transport = createGrpcTransport({ baseUrl: sessionManager.authority, sessionManager, interceptors: [authorize] })
  const call = (createClient(service, transport) as Record<string, (...parameters: unknown[]) => unknown>)[localName]!
  const stop = new AbortController()
  // a stream that says nothing was let in
  const options = { signal: stop.signal, timeoutMs: methodKind === 'server_streaming' ? 1_000 : 10_000 }
  try {
    const message = messages[localName] ?? {}
    const answer = call(methodKind === 'client_streaming' ? (async function* () { yield message })() : message, options)
    if (methodKind === 'server_streaming') for await (const _ of answer as AsyncIterable<unknown>) break
    else await answer
    return ''
  } catch (error) {
    const told = ConnectError.from(error)
    const [failure] = told.findDetails(FailureSchema)
    if (!failure && !(methodKind === 'server_streaming' && told.code === Code.DeadlineExceeded)) throw error
    return failure && [Reason.UNAUTHENTICATED, Reason.FORBIDDEN].includes(failure.reason) ? failure.message : ''
  } finally {
    stop.abort()
  }
}

/** Past the door: nothing but a studio's session is missing. */
const isInside = (refusal: string): boolean => refusal === '' || refusal.startsWith('Sign in first')

test.each(doors.map(([service, roles, methods]) => [service.typeName, service, roles, methods] as const))('%s lets in who is meant to call it', { timeout: 60_000 }, async (_name, service, roles, exceptions) => {
  expect(Object.keys(exceptions).filter((name) => !service.methods.some(({ localName }) => localName === name))).toEqual([])
  for (const method of service.methods) {
    const allowed = exceptions[method.localName] ?? roles
    const found = await Promise.all(Object.entries(shown).map(async ([who, authorization]) => [who, isInside(await refusalOf(service, method, authorization))] as const))
    const inside = found.filter(([, isIn]) => isIn).map(([who]) => who)
    expect(inside.toSorted(), method.name).toEqual(allowed.toSorted())
  }
})
