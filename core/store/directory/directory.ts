import type { LearnerKeys } from '../cell/named-learners.ts'
import type { Database } from '../database.ts'
import { accountStore } from './accounts.ts'
import { auditStore } from './audit.ts'
import { betaLinkStore } from './beta-links.ts'
import { buildStore } from './builds.ts'
import { factorStore } from './factors.ts'
import { classStore } from './classes.ts'
import { endingStore } from './endings.ts'
import { erasingStore } from './erasings.ts'
import { exportJobStore } from './export-jobs.ts'
import { forwardStore } from './forwards.ts'
import { gamePageStore } from './game-pages.ts'
import { gameQuotaStore } from './game-quotas.ts'
import { gameStore } from './games.ts'
import { garbageStore } from './garbage.ts'
import { invitationStore } from './invitations.ts'
import { launchStore } from './launches.ts'
import { learnerStore } from './learners.ts'
import { learnerWordStore } from './learner-words.ts'
import { memberInvitationStore } from './member-invitations.ts'
import { memberStore } from './members.ts'
import { operatedForwardStore } from './operated-forwards.ts'
import { operatorStore } from './operator.ts'
import { mailLinkStore } from './mail-links.ts'
import { mailStore } from './mails.ts'
import { noticeStore } from './notices.ts'
import { personalTokenStore } from './personal-tokens.ts'
import { portalLimitStore } from './portal-limits.ts'
import { gameReader } from './read-games.ts'
import { openFileStore } from './open-files.ts'
import { ownDataStore } from './own-data.ts'
import { pseudonymKeyStore } from './pseudonym-keys.ts'
import { reservationStore } from './reservations.ts'
import { retentionStore } from './retention.ts'
import { reviewStore } from './reviews.ts'
import { sandboxEventStore } from './sandbox-events.ts'
import { providerLinkStore } from './provider-links.ts'
import { sealedValueStore } from './sealed-values.ts'
import { signInAttemptStore } from './sign-in-attempts.ts'
import { signInProviderStore } from './sign-in-providers.ts'
import { studioMessageStore } from './studio-messages.ts'
import { studioProfileStore } from './studio-profiles.ts'
import { studioSessionStore } from './studio-sessions.ts'
import { studioStore } from './studios.ts'
import { tenancyStore } from './tenancy.ts'
import { uploadStore } from './uploads.ts'
import { webhookDeliveryStore } from './webhook-deliveries.ts'
import { webhookEventStore } from './webhook-events.ts'
import { webhookStore } from './webhooks.ts'

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
