import { createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { AccountService } from '../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../gen/lrs/v1/attachments_pb.js'
import { CellService } from '../gen/lrs/v1/cells_pb.js'
import { AuditService } from '../gen/lrs/v1/audit_pb.js'
import { ExportService } from '../gen/lrs/v1/exports_pb.js'
import { ForwardService } from '../gen/lrs/v1/forwards_pb.js'
import { GameService } from '../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../gen/lrs/v1/identity_pb.js'
import { LaunchService } from '../gen/lrs/v1/launches_pb.js'
import { LearnerService } from '../gen/lrs/v1/learners_pb.js'
import { ProviderService } from '../gen/lrs/v1/providers_pb.js'
import { OperatorService } from '../gen/lrs/v1/operator_pb.js'
import { MemberService } from '../gen/lrs/v1/members_pb.js'
import { NoticeService } from '../gen/lrs/v1/notices_pb.js'
import { BuildService } from '../gen/lrs/v1/builds_pb.js'
import { RetentionService } from '../gen/lrs/v1/retention_pb.js'
import { WebhookService } from '../gen/lrs/v1/webhooks_pb.js'
import { QuotaService } from '../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../gen/lrs/v1/reservations_pb.js'
import { SignInService } from '../gen/lrs/v1/sign_in_pb.js'
import { StatementService } from '../gen/lrs/v1/statements_pb.js'
import { UploadService } from '../gen/lrs/v1/uploads_pb.js'
import type { Config } from './config.ts'

/** Of one message; core ends its pages after a few MiB. */
const readMaxBytes = 64 * 1024 * 1024

export type CoreClient = ReturnType<typeof coreClient>

/** What an admin asks core. */
export function coreClient({ coreUrl, token }: Config) {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${token}`)
    return next(request)
  }
  const transport = createConnectTransport({
    baseUrl: coreUrl,
    httpVersion: '1.1',
    interceptors: [authorize],
    defaultTimeoutMs: 10_000,
    readMaxBytes,
  })
  return {
    admin: createClient(AdminService, transport),
    accounts: createClient(AccountService, transport),
    audit: createClient(AuditService, transport),
    attachments: createClient(AttachmentService, transport),
    cells: createClient(CellService, transport),
    exports: createClient(ExportService, transport),
    forwards: createClient(ForwardService, transport),
    games: createClient(GameService, transport),
    identity: createClient(IdentityService, transport),
    launches: createClient(LaunchService, transport),
    learners: createClient(LearnerService, transport),
    providers: createClient(ProviderService, transport),
    operator: createClient(OperatorService, transport),
    members: createClient(MemberService, transport),
    notices: createClient(NoticeService, transport),
    quotas: createClient(QuotaService, transport),
    builds: createClient(BuildService, transport),
    retention: createClient(RetentionService, transport),
    webhooks: createClient(WebhookService, transport),
    reservations: createClient(ReservationService, transport),
    signIn: createClient(SignInService, transport),
    statements: createClient(StatementService, transport),
    uploads: createClient(UploadService, transport),
  }
}

/** The headers with which an admin acts for a game, by the key of its credential. */
export const actingFor = (key: string): { headers: Record<string, string> } => ({
  headers: { 'x-lrs-credential': key },
})
