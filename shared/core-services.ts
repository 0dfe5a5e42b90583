import type { Client } from '@connectrpc/connect'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import { AccountService } from '../gen/lrs/v1/accounts_pb.js'
import { AdminService } from '../gen/lrs/v1/admin_pb.js'
import { AnswerService } from '../gen/lrs/v1/answers_pb.js'
import { AssistantService } from '../gen/lrs/v1/assistants_pb.js'
import { AttachmentService } from '../gen/lrs/v1/attachments_pb.js'
import { AuditService } from '../gen/lrs/v1/audit_pb.js'
import { BuildService } from '../gen/lrs/v1/builds_pb.js'
import { CellService } from '../gen/lrs/v1/cells_pb.js'
import { ClassService } from '../gen/lrs/v1/classes_pb.js'
import { CountingService } from '../gen/lrs/v1/counting_pb.js'
import { DeletionService } from '../gen/lrs/v1/deletions_pb.js'
import { DeviceService } from '../gen/lrs/v1/devices_pb.js'
import { ExportService } from '../gen/lrs/v1/exports_pb.js'
import { ForwardService } from '../gen/lrs/v1/forwards_pb.js'
import { GameDocumentService } from '../gen/lrs/v1/game_documents_pb.js'
import { GameService } from '../gen/lrs/v1/games_pb.js'
import { IdentityService } from '../gen/lrs/v1/identity_pb.js'
import { InsightService } from '../gen/lrs/v1/insights_pb.js'
import { LaunchService } from '../gen/lrs/v1/launches_pb.js'
import { LearnerService } from '../gen/lrs/v1/learners_pb.js'
import { LessonResultService } from '../gen/lrs/v1/lesson_results_pb.js'
import { LessonService } from '../gen/lrs/v1/lessons_pb.js'
import { LinkService } from '../gen/lrs/v1/links_pb.js'
import { LtiService } from '../gen/lrs/v1/lti_pb.js'
import { MemberService } from '../gen/lrs/v1/members_pb.js'
import { NoticeService } from '../gen/lrs/v1/notices_pb.js'
import { OperatorService } from '../gen/lrs/v1/operator_pb.js'
import { OwnDataService } from '../gen/lrs/v1/own_data_pb.js'
import { ParentConsentService } from '../gen/lrs/v1/parent_consents_pb.js'
import { ProviderService } from '../gen/lrs/v1/providers_pb.js'
import { QuotaService } from '../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../gen/lrs/v1/reservations_pb.js'
import { RetentionService } from '../gen/lrs/v1/retention_pb.js'
import { RosterService } from '../gen/lrs/v1/rosters_pb.js'
import { SchoolService } from '../gen/lrs/v1/schools_pb.js'
import { SeriousGamesService } from '../gen/lrs/v1/serious_games_pb.js'
import { SignInService } from '../gen/lrs/v1/sign_in_pb.js'
import { StatementService } from '../gen/lrs/v1/statements_pb.js'
import { TokenService } from '../gen/lrs/v1/tokens_pb.js'
import { UploadService } from '../gen/lrs/v1/uploads_pb.js'
import { WatchingService } from '../gen/lrs/v1/watching_pb.js'
import { WebhookService } from '../gen/lrs/v1/webhooks_pb.js'

/** The services of core that the portal and the command line call, by the names that they have for them. */
export const coreServices = {
  accounts: AccountService,
  admin: AdminService,
  answers: AnswerService,
  assistants: AssistantService,
  attachments: AttachmentService,
  audit: AuditService,
  builds: BuildService,
  cells: CellService,
  classes: ClassService,
  counting: CountingService,
  deletions: DeletionService,
  devices: DeviceService,
  exports: ExportService,
  forwards: ForwardService,
  gameDocuments: GameDocumentService,
  games: GameService,
  health: Health,
  identity: IdentityService,
  insights: InsightService,
  launches: LaunchService,
  learners: LearnerService,
  lessons: LessonService,
  lessonResults: LessonResultService,
  links: LinkService,
  lti: LtiService,
  members: MemberService,
  notices: NoticeService,
  operator: OperatorService,
  ownData: OwnDataService,
  parentConsents: ParentConsentService,
  providers: ProviderService,
  quotas: QuotaService,
  reservations: ReservationService,
  retention: RetentionService,
  rosters: RosterService,
  schools: SchoolService,
  seriousGames: SeriousGamesService,
  signIn: SignInService,
  statements: StatementService,
  tokens: TokenService,
  uploads: UploadService,
  watching: WatchingService,
  webhooks: WebhookService,
} as const

/** A client of each. */
export type CoreClients = { readonly [Name in keyof typeof coreServices]: Client<(typeof coreServices)[Name]> }
