import type { Database } from '../../process/database/database.ts'
import { accountStore } from './accounts.ts'
import { auditStore } from './audit.ts'
import { endingStore } from './endings.ts'
import { factorStore } from './factors.ts'
import { mailLinkStore } from './mail-links.ts'
import { mailStore } from './mails.ts'
import { memberInvitationStore } from './member-invitations.ts'
import { memberStore } from './members.ts'
import { noticeStore } from './notices.ts'
import { weeklyMailStore } from './weekly-mails.ts'
import { operatorStore } from './operator.ts'
import { ownDataStore } from './own-data.ts'
import { personalTokenStore } from './personal-tokens.ts'
import { portalLimitStore } from './portal-limits.ts'
import { providerLinkStore } from './provider-links.ts'
import { sealedValueStore } from './sealed-values.ts'
import { signInAttemptStore } from './sign-in-attempts.ts'
import { signInProviderStore } from './sign-in-providers.ts'
import { studioMessageStore } from './studio-messages.ts'
import { studioProfileStore } from './studio-profiles.ts'
import { studioSessionStore } from './studio-sessions.ts'
import { studioStore } from './studios.ts'

/** Tables of studios and accounts. */
export const accountStores = (database: Database) => ({
  factors: factorStore(database),
  audit: auditStore(database),
  personalTokens: personalTokenStore(database),
  portalLimits: portalLimitStore(database),
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
  ownData: ownDataStore(database),
  mails: mailStore(database),
  mailLinks: mailLinkStore(database),
  notices: noticeStore(database),
  weeklyMails: weeklyMailStore(database),
})
