import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { Code, ConnectError, createRouterTransport, type ServiceImpl } from '@connectrpc/connect'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../../gen/grpc/health/v1/health_pb.js'
import { AccountService } from '../../gen/lrs/v1/accounts_pb.js'
import { CountingService } from '../../gen/lrs/v1/counting_pb.js'
import { WatchingService } from '../../gen/lrs/v1/watching_pb.js'
import { DeviceService } from '../../gen/lrs/v1/devices_pb.js'
import { ExportService } from '../../gen/lrs/v1/exports_pb.js'
import { FailureSchema, Reason } from '../../gen/lrs/v1/failure_pb.js'
import { ForwardService } from '../../gen/lrs/v1/forwards_pb.js'
import { WebhookService } from '../../gen/lrs/v1/webhooks_pb.js'
import {
  BuildKind,
  BuildSchema,
  GameCredentialSchema,
  GameSchema,
  GameService,
  GameState,
  GameSummarySchema,
  type Game,
  type GameSummary,
} from '../../gen/lrs/v1/games_pb.js'
import { LaunchService } from '../../gen/lrs/v1/launches_pb.js'
import { ClassService } from '../../gen/lrs/v1/classes_pb.js'
import { AnswerService } from '../../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../../gen/lrs/v1/serious_games_pb.js'
import { InsightService } from '../../gen/lrs/v1/insights_pb.js'
import { LearnerService } from '../../gen/lrs/v1/learners_pb.js'
import { OwnDataService } from '../../gen/lrs/v1/own_data_pb.js'
import { LinkService } from '../../gen/lrs/v1/links_pb.js'
import { NoticeService } from '../../gen/lrs/v1/notices_pb.js'
import { SignInService } from '../../gen/lrs/v1/sign_in_pb.js'
import { MemberRole, MemberService } from '../../gen/lrs/v1/members_pb.js'
import { ProviderService } from '../../gen/lrs/v1/providers_pb.js'
import { OperatorService } from '../../gen/lrs/v1/operator_pb.js'
import { QuotaService } from '../../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../../gen/lrs/v1/reservations_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { UploadService } from '../../gen/lrs/v1/uploads_pb.js'
import { readConfig, type Config } from '../../portal/config.ts'
import { clientsOn, type CoreClient } from '../../portal/web/core-client.ts'
import type { Env } from '../../shared/settings/kinds.ts'

/** Settings of a portal in a test. */
export const portalConfig = (more: Env = {}): Config =>
  readConfig({
    PORTAL_HOST: '127.0.0.1',
    PORTAL_PORT: '0',
    LRS_SERVICE_TOKEN: 'x'.repeat(32),
    LRS_STORAGE_DIR: join(tmpdir(), 'no-storage'),
    LRS_STORAGE_KEY: 'k'.repeat(43),
    ...more,
  })

/** A session that the stub takes for a signed-in studio. */
export const session = 'a'.repeat(43)
export const studio = { studioId: crypto.randomUUID(), name: 'Blue <Fox>', slug: 'blue-fox' }

/** An error as core's, with its Failure. */
export const failure = (
  reason: Reason,
  message: string,
  { path = '', rule = '', code = Code.Aborted } = {},
): ConnectError =>
  new ConnectError(message, code, undefined, [{ desc: FailureSchema, value: { reason, message, path, rule } }])

interface Stubs {
  readonly accounts?: Partial<ServiceImpl<typeof AccountService>>
  readonly games?: Partial<ServiceImpl<typeof GameService>>
  readonly uploads?: Partial<ServiceImpl<typeof UploadService>>
  readonly launches?: Partial<ServiceImpl<typeof LaunchService>>
  readonly quotas?: Partial<ServiceImpl<typeof QuotaService>>
  readonly reservations?: Partial<ServiceImpl<typeof ReservationService>>
  readonly insights?: Partial<ServiceImpl<typeof InsightService>>
  readonly ownData?: Partial<ServiceImpl<typeof OwnDataService>>
  readonly learners?: Partial<ServiceImpl<typeof LearnerService>>
  readonly classes?: Partial<ServiceImpl<typeof ClassService>>
  readonly answers?: Partial<ServiceImpl<typeof AnswerService>>
  readonly counting?: Partial<ServiceImpl<typeof CountingService>>
  readonly watching?: Partial<ServiceImpl<typeof WatchingService>>
  readonly seriousGames?: Partial<ServiceImpl<typeof SeriousGamesService>>
  readonly webhooks?: Partial<ServiceImpl<typeof WebhookService>>
  readonly exports?: Partial<ServiceImpl<typeof ExportService>>
  readonly forwards?: Partial<ServiceImpl<typeof ForwardService>>
  readonly operator?: Partial<ServiceImpl<typeof OperatorService>>
  readonly statements?: Partial<ServiceImpl<typeof StatementService>>
  readonly members?: Partial<ServiceImpl<typeof MemberService>>
  readonly links?: Partial<ServiceImpl<typeof LinkService>>
  readonly notices?: Partial<ServiceImpl<typeof NoticeService>>
  readonly signIn?: Partial<ServiceImpl<typeof SignInService>>
  readonly providers?: Partial<ServiceImpl<typeof ProviderService>>
}

/** A core that answers what a test says, with one studio that can be signed in. */
export function stubCore(
  {
    accounts,
    games,
    uploads,
    launches,
    quotas,
    reservations,
    insights,
    learners,
    ownData,
    classes,
    answers,
    counting,
    watching,
    seriousGames,
    webhooks,
    exports,
    forwards,
    operator,
    statements,
    members,
    links,
    notices,
    signIn,
    providers,
  }: Stubs,
  isReviewer = true,
): CoreClient {
  return clientsOn(
    createRouterTransport(({ service }) => {
      service(AccountService, {
        getAccount: (_request, { requestHeader }) => {
          if (requestHeader.get('x-lrs-session') !== session)
            throw failure(Reason.UNAUTHENTICATED, 'Sign in first: the session has ended.')
          return { studio, email: 'fox@example.org', reviewer: isReviewer, role: MemberRole.OWNER }
        },
        ...accounts,
      })
      service(GameService, games ?? {})
      service(UploadService, uploads ?? {})
      service(LaunchService, launches ?? {})
      service(QuotaService, { getUsage: () => ({ usage: [] }), ...quotas })
      service(ReservationService, { listOwnReservations: () => ({ reservations: [] }), ...reservations })
      service(CountingService, { getCounting: () => ({ zone: 'UTC' }), ...counting })
      service(WatchingService, { listViews: () => ({ views: [] }), ...watching })
      service(InsightService, insights ?? {})
      service(LearnerService, learners ?? {})
      service(OwnDataService, ownData ?? {})
      service(DeviceService, { listOwnDevices: () => ({ devices: [] }) })
      service(AnswerService, answers ?? {})
      service(SeriousGamesService, seriousGames ?? {})
      service(ClassService, classes ?? {})
      service(WebhookService, webhooks ?? { listWebhooks: () => ({ webhooks: [] }) })
      service(ExportService, exports ?? {})
      service(ForwardService, forwards ?? {})
      service(OperatorService, operator ?? {})
      service(StatementService, statements ?? {})
      service(MemberService, members ?? {})
      service(LinkService, links ?? {})
      service(NoticeService, notices ?? {})
      service(SignInService, signIn ?? {})
      service(ProviderService, { listSignInProviders: () => ({ providers: [] }), ...providers })
      service(Health, { check: () => ({ status: ServingStatus.SERVING }) })
    }),
  )
}

/** A published game; `more` changes it. */
export const summary = (more: Partial<GameSummary> = {}): GameSummary =>
  Object.assign(
    create(GameSummarySchema, {
      gameId: '11111111-1111-4111-8111-111111111111',
      name: 'Bridges & Rivers',
      slug: 'bridges-rivers',
      summary: 'Build bridges that hold.',
      state: GameState.PUBLISHED,
      studioName: studio.name,
      studioSlug: studio.slug,
      kind: BuildKind.BROWSER,
      updated: 1_763_700_000n,
    }),
    more,
  )

export const build = create(BuildSchema, {
  buildId: '22222222-2222-4222-8222-222222222222',
  kind: BuildKind.BROWSER,
  fileName: 'bridges-1.2.zip',
  size: 48_234_496n,
  files: 212,
  expanded: 91_234_000n,
  created: 1_763_700_000n,
})

export const game = (more: Partial<Game> = {}): Game =>
  Object.assign(
    create(GameSchema, {
      summary: summary(),
      description: 'Rivers are in the way.\n\nBuild bridges over them, with what there is.',
      live: build,
      credential: create(GameCredentialSchema, { key: 'game-4f2a9c', revealed: true, created: 1_763_690_000n }),
      sandboxKey: 'sandbox-1',
      allowed: ['withdraw', 'upload', 'sandbox', 'rotate'],
    }),
    more,
  )
