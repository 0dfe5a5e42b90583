import { openDatabase, type Database, type DatabaseOptions } from './database.ts'
import { attachmentStore } from './attachments.ts'
import { buildStore } from './builds.ts'
import { credentialStore } from './credentials.ts'
import { endedSessionStore } from './ended-sessions.ts'
import { documentStore } from './documents.ts'
import { gameBytesStore } from './game-bytes.ts'
import { gamePageStore } from './game-pages.ts'
import { gameQuotaStore } from './game-quotas.ts'
import { gameStore } from './games.ts'
import { garbageStore } from './garbage.ts'
import { insightStore } from './insights.ts'
import { knowledgeStore } from './knowledge.ts'
import { portalLimitStore } from './portal-limits.ts'
import { gameReader } from './read-games.ts'
import { reservationStore } from './reservations.ts'
import { reviewStore } from './reviews.ts'
import { studioMessageStore } from './studio-messages.ts'
import { studioProfileStore } from './studio-profiles.ts'
import { studioSessionStore } from './studio-sessions.ts'
import { studioStore } from './studios.ts'
import { invitationStore } from './invitations.ts'
import { learnerDataStore } from './learner-data.ts'
import { learnerStore } from './learners.ts'
import { launchStore } from './launches.ts'
import { migrate, newestSchema } from './migrate.ts'
import { notifications } from './notifications.ts'
import { refusalStore } from './refusals.ts'
import { channel, sandboxEventStore } from './sandbox-events.ts'
import { statusStore } from './status.ts'
import { pageReader } from './read-pages.ts'
import { statementReader } from './read-statements.ts'
import { statementActors } from './statement-actors.ts'
import { tallyStore } from './tallies.ts'
import { tenancyStore } from './tenancy.ts'
import { uploadStore } from './uploads.ts'
import { watermark } from './watermark.ts'
import { statementWriter } from './write-statements.ts'

export type Store = ReturnType<typeof openStore>

/** Everything that knows SQL, over one pool of connections. */
export function openStore(options: DatabaseOptions) {
  const database = openDatabase(options)
  const sandboxNotices = notifications(channel, options)
  return {
    ...storeOver(database),
    /** Tells by its id that there are new events of a sandbox session, of whichever core. */
    sandboxNotices,
    close: async () => {
      sandboxNotices.close()
      await database.close()
    },
  }
}

/** Everything that knows SQL, over a database that is already open. */
export function storeOver(database: Database) {
  const order = watermark(database)
  const ping = { name: 'ping', text: 'select 1' }
  return {
    migrate: () => migrate(database),
    /** The version of the schema that this program knows. */
    newestSchema,
    /** Resolves when the database answers. */
    ping: async () => void (await database.run(ping, [])),
    /** Its connections, at the moment. */
    pool: database.pool,
    /** Microseconds up to which the order is known to be complete. */
    through: order.read,
    /** Runs `work` in one transaction; what takes its `run` is part of it. */
    transaction: database.transaction,
    credentials: credentialStore(database),
    statements: {
      ...statementReader(database, order),
      ...pageReader(database, order),
      ...statementWriter(database, order),
      ...statementActors(database),
    },
    attachments: attachmentStore(database),
    documents: documentStore(database),
    knowledge: knowledgeStore(database),
    refusals: refusalStore(database),
    tallies: tallyStore(database),
    insights: insightStore(database),
    games: { ...gameStore(), ...gameReader(database) },
    gamePages: gamePageStore,
    reservations: reservationStore(database),
    gameBytes: gameBytesStore(database),
    gameQuotas: gameQuotaStore(database),
    reviews: reviewStore,
    builds: buildStore(database),
    uploads: uploadStore(database),
    garbage: garbageStore(database),
    portalLimits: portalLimitStore(database),
    studioSessions: studioSessionStore(database),
    studioMessages: studioMessageStore(database),
    studioProfiles: studioProfileStore(database),
    studios: studioStore(database),
    learners: learnerStore(database),
    learnerData: learnerDataStore(database),
    status: statusStore(database, order),
    launches: launchStore(database),
    tenancy: tenancyStore(database),
    endedSessions: endedSessionStore(database),
    invitations: invitationStore(database),
    sandboxEvents: sandboxEventStore(database),
  }
}
