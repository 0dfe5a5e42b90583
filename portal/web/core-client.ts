import type { DescService } from '@bufbuild/protobuf'
import { createClient, type Client, type Interceptor, type Transport } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import type { Logger } from 'pino'
import { Health } from '../../gen/grpc/health/v1/health_pb.js'
import { AccountService } from '../../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../../gen/lrs/v1/admin_pb.js'
import { AuditService } from '../../gen/lrs/v1/audit_pb.js'
import { ClassService } from '../../gen/lrs/v1/classes_pb.js'
import { DeletionService } from '../../gen/lrs/v1/deletions_pb.js'
import { ExportService } from '../../gen/lrs/v1/exports_pb.js'
import { ForwardService } from '../../gen/lrs/v1/forwards_pb.js'
import { GameService } from '../../gen/lrs/v1/games_pb.js'
import { AnswerService } from '../../gen/lrs/v1/answers_pb.js'
import { InsightService } from '../../gen/lrs/v1/insights_pb.js'
import { LaunchService } from '../../gen/lrs/v1/launches_pb.js'
import { LearnerService } from '../../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../../gen/lrs/v1/own_data_pb.js'
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
import { WebhookService } from '../../gen/lrs/v1/webhooks_pb.js'
import { SeriousGamesService } from '../../gen/lrs/v1/serious_games_pb.js'
import { SignInService } from '../../gen/lrs/v1/sign_in_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { TokenService } from '../../gen/lrs/v1/tokens_pb.js'
import { UploadService } from '../../gen/lrs/v1/uploads_pb.js'
import { coreAgent } from '../../shared/core-agent.ts'
import type { Config } from '../config.ts'

const services = {
  accounts: AccountService,
  signIn: SignInService,
  games: GameService,
  uploads: UploadService,
  launches: LaunchService,
  learners: LearnerService,
  ownData: OwnDataService,
  classes: ClassService,
  builds: BuildService,
  counting: CountingService,
  watching: WatchingService,
  retention: RetentionService,
  webhooks: WebhookService,
  insights: InsightService,
  answers: AnswerService,
  seriousGames: SeriousGamesService,
  exports: ExportService,
  deletions: DeletionService,
  forwards: ForwardService,
  providers: ProviderService,
  members: MemberService,
  notices: NoticeService,
  links: LinkService,
  quotas: QuotaService,
  /** For sessions of admins. */
  admin: AdminService,
  operator: OperatorService,
  reservations: ReservationService,
  audit: AuditService,
  tokens: TokenService,
  health: Health,
}

/** A client of each service. */
type Clients = { readonly [Name in keyof typeof services]: Client<(typeof services)[Name]> }

export interface CoreClient extends Clients {
  /** The same for a visitor, whose address and request the audit log names. */
  of(senderIp: string, requestId: string): CoreClient
  /** The same for a signed-in studio. */
  as(session: string): CoreClient
  /** Statements of the game with this key. The key must come from a Game that core returned to this visitor. */
  onBehalf(key: string): Client<typeof StatementService>
}

/** Options of calls that take minutes. */
export const slow = { timeoutMs: 15 * 60_000 }
/** Options of streams without an end. */
export const endless = { timeoutMs: 0 }

/** Clients of core's services, with the portal's service token. */
export function coreClient(
  { coreUrl, coreTls, serviceToken }: Pick<Config, 'coreUrl' | 'coreTls' | 'serviceToken'>,
  log: Logger,
): CoreClient {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${serviceToken}`)
    return next(request)
  }
  return clientsOn(
    createConnectTransport({
      baseUrl: coreUrl,
      httpVersion: '1.1',
      nodeOptions: { agent: coreAgent(coreUrl, { tls: coreTls, log }) },
      interceptors: [authorize],
      defaultTimeoutMs: 10_000,
      acceptCompression: [],
    }),
  )
}

/** A client of each service, made when it is first asked for. */
export function clientsOn(transport: Transport): CoreClient {
  const others: Pick<CoreClient, 'of' | 'as' | 'onBehalf'> = {
    of: (senderIp, requestId) =>
      clientsOn(withHeader(withHeader(transport, 'x-lrs-sender', senderIp), 'x-request-id', requestId)),
    as: (session) => clientsOn(withHeader(transport, 'x-lrs-session', session)),
    onBehalf: (key) => createClient(StatementService, withHeader(transport, 'x-lrs-credential', key)),
  }
  const made = new Map<string, unknown>()
  return new Proxy(others as CoreClient, {
    get(target, name: keyof typeof services) {
      if (!Object.hasOwn(services, name)) return Reflect.get(target, name) as unknown
      if (!made.has(name)) made.set(name, createClient(services[name] as DescService, transport))
      return made.get(name)
    },
  })
}

function withHeader(transport: Transport, name: string, value: string): Transport {
  const add = (header: ConstructorParameters<typeof Headers>[0]): Headers => {
    const headers = new Headers(header)
    headers.set(name, value)
    return headers
  }
  return {
    unary: (method, signal, timeout, header, input, values) =>
      transport.unary(method, signal, timeout, add(header), input, values),
    stream: (method, signal, timeout, header, input, values) =>
      transport.stream(method, signal, timeout, add(header), input, values),
  }
}
