import type { ConnectRouter, HandlerContext, Interceptor } from '@connectrpc/connect'
import { createValidateInterceptor } from '@connectrpc/validate'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { AccountService } from '../../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../../gen/lrs/v1/attachments_pb.js'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { FailureSchema, Reason } from '../../gen/lrs/v1/failure_pb.js'
import { GameService } from '../../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../../gen/lrs/v1/identity_pb.js'
import { InsightService } from '../../gen/lrs/v1/insights_pb.js'
import { LaunchService } from '../../gen/lrs/v1/launches_pb.js'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../../gen/lrs/v1/reservations_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { UploadService } from '../../gen/lrs/v1/uploads_pb.js'
import type { Core } from '../context.ts'
import { admit } from './access.ts'
import { accountService } from './accounts.ts'
import { adminService } from './admin.ts'
import * as attachments from './attachments.ts'
import * as documents from './documents.ts'
import { connectErrorOf, type CallName } from './failure.ts'
import { follow } from './follow.ts'
import { gameService } from './games.ts'
import { healthService } from './health.ts'
import { identityService } from './identity.ts'
import { insightService } from './insights.ts'
import { launchService } from './launches.ts'
import { contextOf, perform, type Operation } from './operation.ts'
import { quotaService } from './quotas.ts'
import { serveReflection } from './reflection.ts'
import { reservationService } from './reservations.ts'
import * as statements from './statements.ts'
import { hangUpKey, storeStream } from './store-stream.ts'
import { timed } from './timed.ts'
import { traced } from './traced.ts'
import { uploadService } from './uploads.ts'

/** The services that reflection and health list. */
const served = [
  StatementService,
  AttachmentService,
  DocumentService,
  AccountService,
  GameService,
  UploadService,
  LaunchService,
  InsightService,
  IdentityService,
  QuotaService,
  ReservationService,
  AdminService,
  Health,
  ServerReflection,
  ServerReflectionAlpha,
]

/** Every service of core, for gRPC, gRPC-Web and Connect alike. */
export function services(core: Core): (router: ConnectRouter) => void {
  const operation =
    <Request, Response>(operation: Operation<Request, Response>) =>
    (request: Request, { requestHeader }: HandlerContext) =>
      perform(core, operation, request, contextOf(requestHeader))

  const health = healthService(core, new Set(['', ...served.map(({ typeName }) => typeName)]))

  return (router) => {
    router.service(StatementService, {
      storeStatements: operation(statements.store),
      async *storeStatementsStream(messages, { requestHeader, signal, values }) {
        const outcomes = storeStream(core, messages, contextOf(requestHeader), values.get(hangUpKey))
        yield* translated(outcomes, (error) =>
          connectErrorOf(error, core.log, nameOf(requestHeader, 'StoreStatementsStream', signal)),
        )
      },
      getStatement: operation(statements.get),
      queryStatements: operation(statements.query),
      async *follow(request, { requestHeader, signal }) {
        const steps = follow(core, request, contextOf(requestHeader), signal)
        yield* translated(steps, (error) => connectErrorOf(error, core.log, nameOf(requestHeader, 'Follow')))
      },
      getPerson: operation(statements.person),
      getActivity: operation(statements.activity),
    })
    router.service(AttachmentService, {
      storeWithAttachments: async (messages, { requestHeader }) =>
        perform(
          core,
          attachments.storeWithAttachments,
          await attachments.openUpload(messages),
          contextOf(requestHeader),
        ),
      async *getAttachment(request, { requestHeader }) {
        const contents = attachments.contents(core, request, contextOf(requestHeader))
        yield* translated(contents, (error) => connectErrorOf(error, core.log, nameOf(requestHeader, 'GetAttachment')))
      },
    })
    router.service(DocumentService, {
      putDocument: operation(documents.put),
      getDocument: operation(documents.get),
      listDocuments: operation(documents.list),
      deleteDocument: operation(documents.remove),
      deleteDocuments: operation(documents.removeAll),
    })
    router.service(AccountService, accountService(core))
    router.service(GameService, gameService(core))
    router.service(UploadService, uploadService(core))
    router.service(LaunchService, launchService(core))
    router.service(InsightService, insightService(core))
    router.service(IdentityService, identityService(core))
    router.service(AdminService, adminService(core))
    router.service(QuotaService, quotaService(core))
    router.service(ReservationService, reservationService(core))
    serveReflection(router, served)
    router.service(Health, health)
  }
}

const nameOf = (header: Headers, method: string, signal?: AbortSignal): CallName => ({
  request: header.get('x-request-id') ?? undefined,
  method,
  signal,
})

/** Errors within a stream do not pass through the interceptors. */
async function* translated<T>(responses: AsyncIterable<T>, translate: (error: unknown) => unknown): AsyncGenerator<T> {
  const source = responses[Symbol.asyncIterator]()
  const next = () =>
    source.next().catch((error: unknown) => {
      throw translate(error)
    })
  try {
    // an error thrown at the yield means that the caller has left
    for (let one = await next(); !one.done; one = await next()) yield one.value
  } finally {
    await source.return?.()
  }
}

/** Wrap every call: access, the rules of the contract, mapping of errors. */
export function interceptors(core: Core): Interceptor[] {
  const guard: Interceptor = (next) => async (request) => {
    const done = timed(core.meters, request.method.name, 'rpc')
    try {
      admit(request.method, core.services.roleOf(request.header.get('authorization') ?? ''))
      const response = await next(request)
      done()
      return response
    } catch (error) {
      const told = connectErrorOf(error, core.log, nameOf(request.header, request.method.name, request.signal))
      done(told.findDetails(FailureSchema)[0]?.reason ?? Reason.INVALID)
      throw told
    }
  }
  return [guard, ...traced(core), createValidateInterceptor()]
}
