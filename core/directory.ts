import type { LearnerKeys } from './records/store/cell/named-learners.ts'
import type { Database } from './process/database/database.ts'
import { accountStore } from './accounts/store/accounts.ts'
import { auditStore } from './accounts/store/audit.ts'
import { betaLinkStore } from './games/store/beta-links.ts'
import { buildStore } from './games/store/builds.ts'
import { factorStore } from './accounts/store/factors.ts'
import { classStore } from './games/store/classes.ts'
import { endingStore } from './accounts/store/endings.ts'
import { erasingStore } from './records/store/erasings.ts'
import { exportJobStore } from './connections/store/export-jobs.ts'
import { forwardStore } from './connections/store/forwards.ts'
import { gamePageStore } from './games/store/game-pages.ts'
import { gameQuotaStore } from './records/store/game-quotas.ts'
import { gameStore } from './games/store/games.ts'
import { garbageStore } from './games/store/garbage.ts'
import { invitationStore } from './games/store/invitations.ts'
import { launchStore } from './games/store/launches.ts'
import { learnerStore } from './games/store/learners.ts'
import { learnerWordStore } from './analytics/store/learner-words.ts'
import { memberInvitationStore } from './accounts/store/member-invitations.ts'
import { memberStore } from './accounts/store/members.ts'
import { operatedForwardStore } from './connections/store/operated-forwards.ts'
import { operatorStore } from './accounts/store/operator.ts'
import { mailLinkStore } from './accounts/store/mail-links.ts'
import { mailStore } from './accounts/store/mails.ts'
import { noticeStore } from './accounts/store/notices.ts'
import { personalTokenStore } from './accounts/store/personal-tokens.ts'
import { portalLimitStore } from './accounts/store/portal-limits.ts'
import { gameReader } from './games/store/read-games.ts'
import { openFileStore } from './games/store/open-files.ts'
import { ownDataStore } from './accounts/store/own-data.ts'
import { pseudonymKeyStore } from './connections/store/pseudonym-keys.ts'
import { reservationStore } from './records/store/reservations.ts'
import { retentionStore } from './records/store/retention.ts'
import { reviewStore } from './games/store/reviews.ts'
import { sandboxEventStore } from './games/store/sandbox-events.ts'
import { providerLinkStore } from './accounts/store/provider-links.ts'
import { sealedValueStore } from './accounts/store/sealed-values.ts'
import { signInAttemptStore } from './accounts/store/sign-in-attempts.ts'
import { signInProviderStore } from './accounts/store/sign-in-providers.ts'
import { studioMessageStore } from './accounts/store/studio-messages.ts'
import { studioProfileStore } from './accounts/store/studio-profiles.ts'
import { studioSessionStore } from './accounts/store/studio-sessions.ts'
import { studioStore } from './accounts/store/studios.ts'
import { tenancyStore } from './records/store/tenancy.ts'
import { uploadStore } from './games/store/uploads.ts'
import { webhookDeliveryStore } from './connections/store/webhook-deliveries.ts'
import { webhookEventStore } from './connections/store/webhook-events.ts'
import { webhookStore } from './connections/store/webhooks.ts'

/** What an erasure has to know of a learner. */
type ErasedLearner = LearnerKeys & { readonly identifier: string }

/** The data of studios, games, builds, learners and their sessions (docs/adr/0019). */
export function directoryOver(database: Database) {
  return {
    factors: factorStore(database),
    exportJobs: exportJobStore(database),
    erasings: erasingStore<ErasedLearner>(database),
    forwards: forwardStore(database),
    operatedForwards: operatedForwardStore(database),
    games: { ...gameStore(), ...gameReader(database) },
    gamePages: gamePageStore,
    gameQuotas: gameQuotaStore(database),
    reservations: reservationStore(database),
    retention: retentionStore(database),
    reviews: reviewStore,
    betaLinks: betaLinkStore(database),
    builds: buildStore(database),
    uploads: uploadStore(database),
    garbage: garbageStore(database),
    audit: auditStore(database),
    personalTokens: personalTokenStore(database),
    portalLimits: portalLimitStore(database),
    pseudonymKeys: pseudonymKeyStore(database),
    sealedValues: sealedValueStore(database),
    studioSessions: studioSessionStore(database),
    studioMessages: studioMessageStore(database),
    studioProfiles: studioProfileStore(database),
    accounts: accountStore(database),
    members: memberStore(database),
    signInProviders: signInProviderStore(database),
    signInAttempts: signInAttemptStore(database),
    providerLinks: providerLinkStore(database),
    memberInvitations: memberInvitationStore(database),
    endings: endingStore(database),
    studios: studioStore(database),
    operator: operatorStore(database),
    learners: learnerStore(database),
    openFiles: openFileStore(database),
    ownData: ownDataStore(database),
    learnerWords: learnerWordStore(database),
    launches: launchStore(database),
    mails: mailStore(database),
    mailLinks: mailLinkStore(database),
    notices: noticeStore(database),
    tenancy: tenancyStore(database),
    classes: classStore(database),
    invitations: invitationStore(database),
    sandboxEvents: sandboxEventStore(database),
    webhooks: webhookStore(database),
    webhookEvents: webhookEventStore(database),
    webhookDeliveries: webhookDeliveryStore(database),
  }
}
