import type { SecureClientSessionOptions } from 'node:http2'
import { createClient, type Client, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { AccountService } from '../../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../../gen/lrs/v1/attachments_pb.js'
import { CellService } from '../../gen/lrs/v1/cells_pb.js'
import { AuditService } from '../../gen/lrs/v1/audit_pb.js'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { ClassService } from '../../gen/lrs/v1/classes_pb.js'
import { DeletionService } from '../../gen/lrs/v1/deletions_pb.js'
import { ExportService } from '../../gen/lrs/v1/exports_pb.js'
import { ForwardService } from '../../gen/lrs/v1/forwards_pb.js'
import { GameService } from '../../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../../gen/lrs/v1/identity_pb.js'
import { AnswerService } from '../../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../../gen/lrs/v1/serious_games_pb.js'
import { InsightService } from '../../gen/lrs/v1/insights_pb.js'
import { LearnerService } from '../../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../../gen/lrs/v1/own_data_pb.js'
import { LaunchService } from '../../gen/lrs/v1/launches_pb.js'
import { ProviderService } from '../../gen/lrs/v1/providers_pb.js'
import { OperatorService } from '../../gen/lrs/v1/operator_pb.js'
import { MemberService } from '../../gen/lrs/v1/members_pb.js'
import { LinkService } from '../../gen/lrs/v1/links_pb.js'
import { NoticeService } from '../../gen/lrs/v1/notices_pb.js'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../../gen/lrs/v1/reservations_pb.js'
import { BuildService } from '../../gen/lrs/v1/builds_pb.js'
import { CountingService } from '../../gen/lrs/v1/counting_pb.js'
import { WatchingService } from '../../gen/lrs/v1/watching_pb.js'
import { RetentionService } from '../../gen/lrs/v1/retention_pb.js'
import { SignInService } from '../../gen/lrs/v1/sign_in_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { WebhookService } from '../../gen/lrs/v1/webhooks_pb.js'
import { TokenService } from '../../gen/lrs/v1/tokens_pb.js'
import { UploadService } from '../../gen/lrs/v1/uploads_pb.js'

export interface CoreClient {
  readonly statements: Client<typeof StatementService>
  readonly attachments: Client<typeof AttachmentService>
  readonly documents: Client<typeof DocumentService>
  readonly identity: Client<typeof IdentityService>
  readonly accounts: Client<typeof AccountService>
  readonly signIn: Client<typeof SignInService>
  readonly games: Client<typeof GameService>
  readonly uploads: Client<typeof UploadService>
  readonly launches: Client<typeof LaunchService>
  readonly classes: Client<typeof ClassService>
  readonly builds: Client<typeof BuildService>
  readonly counting: Client<typeof CountingService>
  readonly watching: Client<typeof WatchingService>
  readonly retention: Client<typeof RetentionService>
  readonly insights: Client<typeof InsightService>
  readonly learners: Client<typeof LearnerService>
  readonly ownData: Client<typeof OwnDataService>
  readonly answers: Client<typeof AnswerService>
  readonly seriousGames: Client<typeof SeriousGamesService>
  readonly exports: Client<typeof ExportService>
  readonly deletions: Client<typeof DeletionService>
  readonly forwards: Client<typeof ForwardService>
  readonly providers: Client<typeof ProviderService>
  readonly operator: Client<typeof OperatorService>
  readonly members: Client<typeof MemberService>
  readonly notices: Client<typeof NoticeService>
  readonly links: Client<typeof LinkService>
  readonly quotas: Client<typeof QuotaService>
  readonly cells: Client<typeof CellService>
  readonly reservations: Client<typeof ReservationService>
  readonly admin: Client<typeof AdminService>
  readonly audit: Client<typeof AuditService>
  readonly tokens: Client<typeof TokenService>
  readonly webhooks: Client<typeof WebhookService>
}

/** One connection to a core process, for callers with different credentials. */
export function coreConnection(port: number, tls?: SecureClientSessionOptions) {
  const baseUrl = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
  const sessionManager = new Http2SessionManager(baseUrl, undefined, tls)
  return {
    as(authorization: string, headers: Record<string, string> = {}): CoreClient {
      const authorize: Interceptor = (next) => (request) => {
        request.header.set('authorization', authorization)
        for (const [name, value] of Object.entries(headers)) request.header.set(name, value)
        return next(request)
      }
      const transport = createConnectTransport({
        baseUrl,
        httpVersion: '2',
        sessionManager,
        interceptors: [authorize],
        useBinaryFormat: true,
      })
      return {
        statements: createClient(StatementService, transport),
        attachments: createClient(AttachmentService, transport),
        documents: createClient(DocumentService, transport),
        identity: createClient(IdentityService, transport),
        accounts: createClient(AccountService, transport),
        signIn: createClient(SignInService, transport),
        games: createClient(GameService, transport),
        uploads: createClient(UploadService, transport),
        launches: createClient(LaunchService, transport),
        classes: createClient(ClassService, transport),
        builds: createClient(BuildService, transport),
        counting: createClient(CountingService, transport),
        watching: createClient(WatchingService, transport),
        retention: createClient(RetentionService, transport),
        insights: createClient(InsightService, transport),
        learners: createClient(LearnerService, transport),
        ownData: createClient(OwnDataService, transport),
        answers: createClient(AnswerService, transport),
        seriousGames: createClient(SeriousGamesService, transport),
        deletions: createClient(DeletionService, transport),
        exports: createClient(ExportService, transport),
        forwards: createClient(ForwardService, transport),
        providers: createClient(ProviderService, transport),
        operator: createClient(OperatorService, transport),
        members: createClient(MemberService, transport),
        notices: createClient(NoticeService, transport),
        links: createClient(LinkService, transport),
        quotas: createClient(QuotaService, transport),
        cells: createClient(CellService, transport),
        reservations: createClient(ReservationService, transport),
        admin: createClient(AdminService, transport),
        audit: createClient(AuditService, transport),
        tokens: createClient(TokenService, transport),
        webhooks: createClient(WebhookService, transport),
      }
    },
    close: () => sessionManager.abort(),
  }
}

export type CoreConnection = ReturnType<typeof coreConnection>
