import type { DescMethod } from '@bufbuild/protobuf'
import { AccountService } from '../../../gen/lrs/v1/accounts_pb.js'
import { AuditService } from '../../../gen/lrs/v1/audit_pb.js'
import { BuildService } from '../../../gen/lrs/v1/builds_pb.js'
import { ExportService } from '../../../gen/lrs/v1/exports_pb.js'
import { GameService } from '../../../gen/lrs/v1/games_pb.js'
import { AnswerService } from '../../../gen/lrs/v1/answers_pb.js'
import { SeriousGamesService } from '../../../gen/lrs/v1/serious_games_pb.js'
import { LaunchService } from '../../../gen/lrs/v1/launches_pb.js'
import { InsightService } from '../../../gen/lrs/v1/insights_pb.js'
import { LearnerService } from '../../../gen/lrs/v1/learners_pb.js'
import { QuotaService } from '../../../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../../../gen/lrs/v1/reservations_pb.js'
import { StatementService } from '../../../gen/lrs/v1/statements_pb.js'
import { UploadService } from '../../../gen/lrs/v1/uploads_pb.js'
import type { TokenScope } from '../../studio/token-scopes.ts'

const { method: account } = AccountService
const { method: game } = GameService
const { method: statement } = StatementService
const { method: launch } = LaunchService
const { method: upload } = UploadService
const { method: build } = BuildService

/** What a personal token may call. The rest is for people: secrets, members, deletions, reviews, tokens themselves. */
const methods: Readonly<Record<TokenScope, readonly DescMethod[]>> = {
  read: [
    account.getAccount,
    game.listGames,
    game.getGame,
    build.listBuilds,
    upload.listUploads,
    upload.listPackagingRules,
    InsightService.method.getInsights,
    LearnerService.method.findLearners,
    LearnerService.method.getLearner,
    LearnerService.method.listLearnerSessions,
    AnswerService.method.getAnswers,
    SeriousGamesService.method.listCompletables,
    SeriousGamesService.method.listProgress,
    SeriousGamesService.method.listReachables,
    SeriousGamesService.method.listAlternatives,
    SeriousGamesService.method.listTargets,
    ExportService.method.exportStatements,
    QuotaService.method.getUsage,
    ReservationService.method.listOwnReservations,
    statement.getStatement,
    statement.queryStatements,
    statement.follow,
  ],
  sandbox: [launch.listTestLearners, launch.openSandbox, launch.getSandbox, launch.observe, launch.endLaunch],
  // a token of a CI with this scope alone can push and submit; a review stands before the public
  upload: [
    upload.requestUpload,
    upload.resumeUpload,
    upload.finalizeUpload,
    upload.cancelUpload,
    upload.listUploads,
    build.listBuilds,
    build.promote,
    game.submitForReview,
  ],
  games: [
    game.createGame,
    game.updateGame,
    game.setPlayer,
    game.describeFile,
    game.moveFile,
    game.removeFile,
    game.discardChanges,
    game.submitForReview,
    game.withdraw,
    build.listBuilds,
    build.promote,
    build.rollBack,
    build.setBetaLink,
  ],
  audit: [AuditService.method.listOwnEntries],
}

const scopes = new Map<DescMethod, TokenScope[]>()
for (const [scope, of] of Object.entries(methods))
  for (const method of of) scopes.set(method, [...(scopes.get(method) ?? []), scope as TokenScope])

/** The scopes of which a personal token needs one for the method; none: no token may call it. */
export const scopesOfMethod = (method: DescMethod): readonly TokenScope[] => scopes.get(method) ?? []
