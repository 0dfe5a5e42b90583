import { BuildService } from '../../../gen/lrs/v1/builds_pb.js'
import { ClassService } from '../../../gen/lrs/v1/classes_pb.js'
import { GameService, Orientation } from '../../../gen/lrs/v1/games_pb.js'
import { LaunchService } from '../../../gen/lrs/v1/launches_pb.js'
import { QuotaService } from '../../../gen/lrs/v1/quotas_pb.js'
import { ReservationService } from '../../../gen/lrs/v1/reservations_pb.js'
import { RetentionService } from '../../../gen/lrs/v1/retention_pb.js'
import { UploadKind, UploadService } from '../../../gen/lrs/v1/uploads_pb.js'
import { WebhookService } from '../../../gen/lrs/v1/webhooks_pb.js'
import {
  audited,
  game,
  hostOf,
  limitOf,
  notYet,
  ofFile,
  ofGame,
  prefix,
  reads,
  session,
  studio,
} from '../services/audit-entries.ts'

const ofClass = (action: string) => ({
  ...ofGame(action),
  details: ({ classId }: { classId: string }) => ({ class: classId }),
})

const ofWebhook = (action: string) => ({
  action,
  details: ({ webhookId }: { webhookId: string }, done?: object) => ({ webhook: done && webhookId }),
})

/** What is kept of games, their files and builds, sessions, classes and quotas. */
export const ofGames = [
  ...audited(GameService, {
    createGame: { action: 'game.create', subject: (_, made) => made && game(made) },
    listGames: reads,
    getGame: reads,
    updateGame: ofGame('game.update'),
    setPlayer: {
      ...ofGame('game.set-player'),
      details: ({ player }) => ({
        isolated: player?.isolated ?? false,
        // an enum may have a number that this version does not know: it counts as any
        orientation: (Orientation[player?.orientation ?? 0] ?? 'unspecified').toLowerCase(),
        pages: player?.embed.join(' ') || 'none',
      }),
    },
    deleteGame: ofGame('game.delete'),
    describeFile: ofFile('game.describe-file'),
    moveFile: ofFile('game.move-file'),
    removeFile: ofFile('game.remove-file'),
    submitForReview: ofGame('game.submit'),
    withdraw: ofGame('game.withdraw'),
    listReviews: reads,
    decideReview: {
      ...ofGame('game.decide-review'),
      details: ({ approved, buildId }) => ({ approved, build: buildId }),
    },
    revealSecret: ofGame('credential.reveal'),
    rotateSecret: ofGame('credential.rotate'),
    listPublishedGames: reads,
    getPublishedGame: reads,
    discardChanges: ofGame('game.discard-changes'),
    locateFile: reads,
  }),
  ...audited(UploadService, {
    requestUpload: notYet,
    resumeUpload: notYet,
    finalizeUpload: {
      action: 'game.upload',
      subject: (_, done) => (done?.gameId ? game(done) : undefined),
      details: ({ uploadId }, done) => ({
        upload: uploadId,
        file: done?.id,
        kind: done && UploadKind[done.kind]?.toLowerCase(),
      }),
    },
    cancelUpload: notYet,
    listUploads: reads,
    listPackagingRules: reads,
  }),
  ...audited(BuildService, {
    listBuilds: reads,
    promote: { ...ofGame('game.promote'), details: ({ buildId }) => ({ build: buildId }) },
    rollBack: {
      ...ofGame('game.roll-back'),
      details: ({ fromBuildId }, done) => ({ from: done && fromBuildId, to: done?.buildId }),
    },
    setBetaLink: { ...ofGame('game.set-beta-link'), details: ({ on }) => ({ on }) },
  }),
  ...audited(LaunchService, {
    listTestLearners: reads,
    openSandbox: session,
    getSandbox: reads,
    observe: reads,
    createInvitation: ofGame('invitation.create'),
    listInvitations: reads,
    revokeInvitation: {
      ...ofGame('invitation.revoke'),
      details: ({ invitationId }) => ({ invitation: invitationId }),
    },
    getInvitation: reads,
    startPlay: session,
    getBeta: reads,
    startBeta: session,
    endLaunch: session,
    getLaunch: reads,
    getDownload: reads,
    checkFiles: reads,
    getResult: reads,
  }),
  ...audited(ClassService, {
    createClass: {
      ...ofGame('invitation.create-class'),
      details: ({ learnerNames, nicknames }, made) => ({
        class: made?.classId,
        learners: learnerNames.length + nicknames,
      }),
    },
    addToClass: {
      ...ofGame('invitation.extend-class'),
      details: ({ classId, learnerNames, nicknames }) => ({
        class: classId,
        learners: learnerNames.length + nicknames,
      }),
    },
    listClasses: reads,
    getClass: {
      ...ofClass('learner.download-results'),
      unless: ({ forFile }) => !forFile,
    },
    renewLinks: {
      ...ofGame('invitation.renew-links'),
      details: ({ invitationIds }) => ({ invitations: invitationIds.length }),
    },
    endClass: ofClass('invitation.end-class'),
    restoreClass: ofClass('invitation.restore-class'),
    restoreInvitation: {
      ...ofGame('invitation.restore'),
      details: ({ invitationId }) => ({ invitation: invitationId }),
    },
  }),
  ...audited(RetentionService, {
    getRetention: reads,
    previewRetention: reads,
    setRetention: {
      ...ofGame('game.set-retention'),
      details: ({ retention }) => ({
        'statement months': retention?.statementMonths || 'for good',
        'learner months': retention?.learnerMonths || 'for good',
        'sandbox months': retention?.sandboxMonths || 'for good',
      }),
    },
  }),
  ...audited(WebhookService, {
    listWebhooks: reads,
    getWebhook: reads,
    addWebhook: {
      ...ofGame('webhook.add'),
      details: ({ settings }, done) => ({
        webhook: done?.webhook?.webhookId,
        events: settings?.events.length,
        host: hostOf(settings?.url, done),
      }),
    },
    changeWebhook: ofWebhook('webhook.change'),
    rotateWebhookSecret: ofWebhook('webhook.rotate-secret'),
    testWebhook: ofWebhook('webhook.test'),
    pauseWebhook: {
      action: 'webhook.pause',
      details: ({ webhookId, paused }, done) => ({ webhook: done && webhookId, paused }),
    },
    getDelivery: reads,
    repeatDelivery: ofWebhook('webhook.repeat'),
    removeWebhook: ofWebhook('webhook.remove'),
  }),
  ...audited(ReservationService, {
    listOwnReservations: reads,
    listReservations: reads,
    reserve: { action: 'studio.reserve-prefix', subject: studio, details: ({ prefix }) => ({ prefix }) },
    withdrawReservation: { action: 'studio.withdraw-prefix', subject: prefix },
  }),
  ...audited(QuotaService, {
    listLimits: reads,
    getUsage: reads,
    getStudioUsage: reads,
    setQuota: {
      action: 'studio.set-quota',
      subject: studio,
      details: ({ name, limit }) => ({ quota: name, limit: limitOf(limit) }),
    },
    setGameQuota: { ...ofGame('game.set-quota'), details: ({ limit }) => ({ limit: limitOf(limit) }) },
  }),
]
