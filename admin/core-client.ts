import { createRegistry } from '@bufbuild/protobuf'
import { createClient, type Client, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { AccountService } from '../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../gen/lrs/v1/admin_pb.js'
import { AttachmentService } from '../gen/lrs/v1/attachments_pb.js'
import { CellService } from '../gen/lrs/v1/cells_pb.js'
import { AuditService } from '../gen/lrs/v1/audit_pb.js'
import { DeletionService } from '../gen/lrs/v1/deletions_pb.js'
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
import { CountingService } from '../gen/lrs/v1/counting_pb.js'
import { RetentionService } from '../gen/lrs/v1/retention_pb.js'
import { WebhookService } from '../gen/lrs/v1/webhooks_pb.js'
import { QuotaService } from '../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../gen/lrs/v1/reservations_pb.js'
import { SignInService } from '../gen/lrs/v1/sign_in_pb.js'
import { StatementService } from '../gen/lrs/v1/statements_pb.js'
import { UploadService } from '../gen/lrs/v1/uploads_pb.js'
import { coreAgent } from '../shared/core-agent.ts'
import type { Config } from './config.ts'

/** Of one message; core ends its pages after a few MiB. */
const readMaxBytes = 64 * 1024 * 1024

const services = {
  admin: AdminService,
  accounts: AccountService,
  audit: AuditService,
  attachments: AttachmentService,
  cells: CellService,
  deletions: DeletionService,
  exports: ExportService,
  forwards: ForwardService,
  games: GameService,
  identity: IdentityService,
  launches: LaunchService,
  learners: LearnerService,
  providers: ProviderService,
  operator: OperatorService,
  members: MemberService,
  notices: NoticeService,
  quotas: QuotaService,
  builds: BuildService,
  counting: CountingService,
  retention: RetentionService,
  webhooks: WebhookService,
  reservations: ReservationService,
  signIn: SignInService,
  statements: StatementService,
  uploads: UploadService,
} as const

/** Every message that core answers with. */
export const messages = createRegistry(...Object.values(services).map(({ file }) => file))

export type CoreClient = { readonly [Name in keyof typeof services]: Client<(typeof services)[Name]> }

/** What an admin asks core. */
export function coreClient({ coreUrl, coreTls, token }: Config): CoreClient {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${token}`)
    return next(request)
  }
  const transport = createConnectTransport({
    baseUrl: coreUrl,
    httpVersion: '1.1',
    nodeOptions: { agent: coreAgent(coreUrl, { tls: coreTls }) },
    interceptors: [authorize],
    defaultTimeoutMs: 10_000,
    readMaxBytes,
  })
  const clients = Object.entries(services).map(([name, service]) => [name, createClient(service, transport)])
  return Object.fromEntries(clients) as CoreClient
}
