import type { DescMethodUnary } from '@bufbuild/protobuf'
import type { ConnectRouter, Interceptor, StreamRequest, UnaryRequest } from '@connectrpc/connect'
import { createValidateInterceptor } from '@connectrpc/validate'
import { Health } from '../../../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { AccountService } from '../../../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../../../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../../../gen/lrs/v1/attachments_pb.js'
import { AuditService } from '../../../gen/lrs/v1/audit_pb.js'
import { DocumentService } from '../../../gen/lrs/v1/documents_pb.js'
import { ExportService } from '../../../gen/lrs/v1/exports_pb.js'
import { ForwardService } from '../../../gen/lrs/v1/forwards_pb.js'
import { FailureSchema } from '../../../gen/lrs/v1/failure_pb.js'
import { CellService } from '../../../gen/lrs/v1/cells_pb.js'
import { ClassService } from '../../../gen/lrs/v1/classes_pb.js'
import { GameService } from '../../../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../../../gen/lrs/v1/identity_pb.js'
import { AnswerService } from '../../../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../../../gen/lrs/v1/serious_games_pb.js'
import { InsightService } from '../../../gen/lrs/v1/insights_pb.js'
import { LaunchService } from '../../../gen/lrs/v1/launches_pb.js'
import { LearnerService } from '../../../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../../../gen/lrs/v1/own_data_pb.js'
import { ProviderService } from '../../../gen/lrs/v1/providers_pb.js'
import { OperatorService } from '../../../gen/lrs/v1/operator_pb.js'
import { MemberService } from '../../../gen/lrs/v1/members_pb.js'
import { LinkService } from '../../../gen/lrs/v1/links_pb.js'
import { NoticeService } from '../../../gen/lrs/v1/notices_pb.js'
import { QuotaService } from '../../../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../../../gen/lrs/v1/reservations_pb.js'
import { BuildService } from '../../../gen/lrs/v1/builds_pb.js'
import { RetentionService } from '../../../gen/lrs/v1/retention_pb.js'
import { SignInService } from '../../../gen/lrs/v1/sign_in_pb.js'
import { StatementService } from '../../../gen/lrs/v1/statements_pb.js'
import { TokenService } from '../../../gen/lrs/v1/tokens_pb.js'
import { UploadService } from '../../../gen/lrs/v1/uploads_pb.js'
import { WebhookService } from '../../../gen/lrs/v1/webhooks_pb.js'
import { personalTokenIn } from '../../access/personal-tokens.ts'
import { requireScope, tokenHolder } from '../../access/token-holder.ts'
import type { Core } from '../../context.ts'
import { admit } from '../access/access.ts'
import { requireOpen } from '../access/provider-only.ts'
import { requireAdmin } from '../access/rights.ts'
import { accountService } from './accounts.ts'
import { adminService } from './admin.ts'
import { auditService } from '../audited/audit.ts'
import { classService } from './classes.ts'
import { contents, openUpload, storeWithAttachments } from './attachments.ts'
import { callKey, callOf, nameOf, rpcCall, type Call, type Outcome } from '../call.ts'
import { ended } from '../ended.ts'
import { connectErrorOf } from '../failure.ts'
import { exportService } from './exports.ts'
import { forwardService } from './forwards.ts'
import { followed } from './follow.ts'
import { gameService } from './games.ts'
import { healthService, peer } from './health.ts'
import { identityService } from './identity.ts'
import { answerService } from './answers.ts'
import { seriousGamesService } from './serious-games.ts'
import { insightService } from './insights.ts'
import { launchService } from './launches.ts'
import { learnerService } from './learners.ts'
import { memberService } from './members.ts'
import { linkService } from './links.ts'
import { noticeService } from './notices.ts'
import { noteCall } from '../note-call.ts'
import { operations } from '../operations.ts'
import { operatorService } from './operator.ts'
import { perform } from '../perform.ts'
import { ownDataService } from './own-data.ts'
import { providerService } from './providers.ts'
import { quotaService } from './quotas.ts'
import { serveReflection } from './reflection.ts'
import { cellService } from './cells.ts'
import { buildService } from './builds.ts'
import { retentionService } from './retention.ts'
import { reservationService } from './reservations.ts'
import { signInService } from './sign-in.ts'
import { hangUpKey, storeStream } from '../store-stream.ts'
import { traced } from '../traced.ts'
import { scopesOfMethod } from '../access/token-methods.ts'
import { tokenService } from './tokens.ts'
import { uploadService } from './uploads.ts'
import { webhookService } from './webhooks.ts'

/** The services that reflection and health list. */
const served = [
  StatementService,
  AttachmentService,
  DocumentService,
  AccountService,
  SignInService,
  GameService,
  UploadService,
  WebhookService,
  LaunchService,
  LearnerService,
  OwnDataService,
  ClassService,
  BuildService,
  RetentionService,
  InsightService,
  AnswerService,
  SeriousGamesService,
  ExportService,
  ForwardService,
  IdentityService,
  ProviderService,
  MemberService,
  NoticeService,
  LinkService,
  QuotaService,
  OperatorService,
  ReservationService,
  CellService,
  AdminService,
  AuditService,
  TokenService,
  Health,
  ServerReflection,
  ServerReflectionAlpha,
]

/** Every service of core, for gRPC, gRPC-Web and Connect alike. */
export function services(core: Core): (router: ConnectRouter) => void {
  const health = healthService(core, new Set(['', ...served.map(({ typeName }) => typeName)]))

  return (router) => {
    for (const operation of operations)
      router.rpc(
        operation.method as DescMethodUnary,
        (request, context) =>
          perform(core, operation, request as never, callOf(context)) as Promise<Record<string, unknown>>,
      )
    streams(core, router)
    router.service(AccountService, accountService(core))
    router.service(SignInService, signInService(core))
    router.service(GameService, gameService(core))
    router.service(UploadService, uploadService(core))
    router.service(WebhookService, webhookService(core))
    router.service(LaunchService, launchService(core))
    router.service(LearnerService, learnerService(core))
    router.service(OwnDataService, ownDataService(core))
    router.service(ClassService, classService(core))
    router.service(BuildService, buildService(core))
    router.service(RetentionService, retentionService(core))
    router.service(InsightService, insightService(core))
    router.service(AnswerService, answerService(core))
    router.service(SeriousGamesService, seriousGamesService(core))
    router.service(ExportService, exportService(core))
    router.service(ForwardService, forwardService(core))
    router.service(IdentityService, identityService(core))
    router.service(AdminService, adminService(core))
    router.service(ProviderService, providerService(core))
    router.service(MemberService, memberService(core))
    router.service(NoticeService, noticeService(core))
    router.service(LinkService, linkService(core))
    router.service(TokenService, tokenService(core))
    router.service(AuditService, auditService(core))
    router.service(QuotaService, quotaService(core))
    router.service(OperatorService, operatorService(core))
    router.service(ReservationService, reservationService(core))
    router.service(CellService, cellService(core))
    serveReflection(router, served)
    router.service(Health, health)
  }
}

/** The methods of games that take or answer streams. */
function streams(core: Core, router: ConnectRouter): void {
  const { storeStatementsStream, follow } = StatementService.method
  const { storeWithAttachments: storeWith, getAttachment } = AttachmentService.method
  router.rpc(storeStatementsStream, (messages, context) =>
    storeStream(core, messages, callOf(context), context.values.get(hangUpKey)),
  )
  router.rpc(follow, (request, context) => followed(core, request, callOf(context), context.signal))
  router.rpc(storeWith, async (messages, context) =>
    perform(core, storeWithAttachments, await openUpload(messages), callOf(context)),
  )
  router.rpc(getAttachment, (request, context) => contents(core, request, callOf(context)))
}

/**
 * The responses of a stream, which runs after its interceptors: maps its errors, and notes its end with the first
 * response or an error before it.
 * @param signal ends when the caller has gone
 */
async function* streamed<T>(
  core: Core,
  call: Call,
  responses: AsyncIterable<T>,
  signal: AbortSignal,
  end: (outcome: Outcome) => Promise<void>,
): AsyncGenerator<T> {
  const source = responses[Symbol.asyncIterator]()
  let isNoted = false
  const note = async (outcome: Outcome): Promise<void> => {
    if (isNoted) return
    isNoted = true
    await end(outcome)
  }
  const next = async (): Promise<IteratorResult<T>> => {
    try {
      const one = await source.next()
      await note(one.done ? {} : { response: one.value })
      return one
    } catch (error) {
      const told = connectErrorOf(error, core.log, { ...nameOf(call), signal })
      await note({ error, failure: told.findDetails(FailureSchema)[0] })
      throw told
    }
  }
  try {
    // an error thrown at the yield means that the caller has left
    for (let one = await next(); !one.done; one = await next()) yield one.value
  } finally {
    await source.return?.()
  }
}

/** @throws Refusal unless the service, the game or the personal token may call the method */
async function admitCaller(
  { services, store, notices }: Core,
  { method, contextValues }: UnaryRequest | StreamRequest,
  call: Call,
): Promise<void> {
  const token = personalTokenIn(call.authorization)
  if (token === undefined) return admit(method, services.roleOf(call.authorization))
  call.person = call.holder = await tokenHolder(store, token, contextValues.get(peer), notices.mail)
  requireScope(call.holder, scopesOfMethod(method))
}

/** Wraps every call: access, the rules of the contract, mapping of errors, what follows from its end. */
export function interceptors(core: Core): Interceptor[] {
  const guard: Interceptor = (next) => async (request) => {
    const call = rpcCall(request.method.name, request.header, request.contextValues.get(peer))
    request.contextValues.set(callKey, call)
    const end = async (outcome: Outcome): Promise<void> => {
      ended(core, call, outcome)
      await noteCall(core, request, call, outcome)
    }
    try {
      await admitCaller(core, request, call)
      requireOpen(core.config.signIn, request.method)
      await requireAdmin(core, request.method, call)
      const response = await next(request)
      if (response.stream) return { ...response, message: streamed(core, call, response.message, request.signal, end) }
      await end({ response: response.message })
      return response
    } catch (error) {
      const told = connectErrorOf(error, core.log, { ...nameOf(call), signal: request.signal })
      await end({ error, failure: told.findDetails(FailureSchema)[0] })
      throw told
    }
  }
  return [guard, ...traced(core), createValidateInterceptor()]
}
