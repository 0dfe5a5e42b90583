import type { Logger } from 'pino'
import type { Authenticator } from './records/access/authenticate.ts'
import type { Captcha } from './accounts/access/captcha.ts'
import type { KnownBrowsers } from './accounts/access/known-browsers.ts'
import type { LinkTokens } from './accounts/access/link-tokens.ts'
import type { LaunchTokens } from './games/access/launch-tokens.ts'
import type { Passwords } from './accounts/access/passwords.ts'
import type { ProviderList } from './accounts/access/provider-list.ts'
import type { Reservations } from './records/access/reservations.ts'
import type { Sealer } from './accounts/access/sealed.ts'
import type { ServiceAccounts } from './rpc/service-accounts.ts'
import type { Sessions } from './accounts/access/sessions.ts'
import type { Tickets } from './accounts/access/tickets.ts'
import type { ByteAllowance } from './process/limits/byte-allowance.ts'
import type { Files } from './games/command/files.ts'
import type { IngestByCell } from './records/command/ingest-by-cell.ts'
import type { NoteAudit } from './accounts/command/note-audit.ts'
import type { NoteEvents } from './games/command/note-events.ts'
import type { NoteRefusals } from './analytics/command/note-refusals.ts'
import type { AttachmentReceiver } from './records/command/receive-attachments.ts'
import type { Exporting } from './connections/export/exporting.ts'
import type { FairQueue } from './process/concurrency/fair-queue.ts'
import type { Slots } from './process/concurrency/slots.ts'
import type { Config } from './process/config/config.ts'
import type { GameRoom } from './records/access/game-room.ts'
import type { Jobs } from './process/jobs/jobs.ts'
import type { CoreMeters } from './process/metrics/meters.ts'
import type { Notices } from './accounts/notices/notices.ts'
import type { Outgoing } from './process/outgoing/outgoing.ts'
import type { Followers } from './records/query/follow.ts'
import type { Observers } from './games/query/observe.ts'
import type { RateLimiter } from './process/limits/rate-limiter.ts'
import type { StoreStreams } from './process/limits/store-streams.ts'
import type { HeavyWork } from './records/worker/worker.ts'

/** Authentication of callers. */
export interface Authentication {
  readonly authenticator: Authenticator
  readonly services: ServiceAccounts
  readonly tokens: LaunchTokens
}

/** Signing in to the portal. */
export interface Accounts {
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly captcha: Captcha
  readonly browsers: KnownBrowsers
  /** Second steps of sign-ins, and challenges of passkeys. */
  readonly tickets: Tickets
  /** What sign-in pages offer beside passwords. */
  readonly providers: ProviderList
  /** Links in mails. */
  readonly links: LinkTokens
  /** Notices to accounts, in the header and by mail. */
  readonly notices: Notices
  /** Seals secrets that the database keeps. */
  readonly sealer: Sealer
}

/** How much each caller may do. */
export interface Limits {
  /** Undefined: no request limits. */
  readonly limiter: RateLimiter | undefined
  /** Limits the bytes that learners send; undefined: no limit. */
  readonly sent: ByteAllowance | undefined
  /** Free bytes of games that have a quota. */
  readonly room: GameRoom
  /** Jobs of games on the database. */
  readonly fairQueue: FairQueue
  /** Charts of studios; each job waits in the fair queue of games as well. */
  readonly chartQueue: FairQueue
  /** Slots for attachments that are being read. */
  readonly downloads: Slots
}

/** How statements come in and go out. */
export interface StatementFlow {
  readonly ingest: IngestByCell
  readonly attachments: AttachmentReceiver
  /** Streams of statements to store. */
  readonly storeStreams: StoreStreams
  /** Files of statements that are being made. */
  readonly exporting: Exporting
  readonly followers: Followers
  /** Pages of the portal that show statements as they arrive. They take no slot of the services that follow. */
  readonly pageFollowers: Followers
  /** Activities that are reserved for games of one studio. */
  readonly reservations: Reservations
}

/** Requests of games, as their studios see them. */
export interface Notes {
  /** Counts the refused requests of games. */
  readonly refusals: NoteRefusals
  /** Keeps what the games of sandbox sessions do. */
  readonly events: NoteEvents
  readonly observers: Observers
}

/** What stays of what people and services did. */
export interface Audit {
  readonly audit: NoteAudit
}

/** Everything that handlers use; wired in core.ts. */
export interface Core extends Authentication, Accounts, Limits, StatementFlow, Notes, Audit, Files {
  readonly config: Config
  readonly log: Logger
  /** A worker thread for work that would block this one. */
  readonly work: HeavyWork
  /** Calls to other systems. */
  readonly outgoing: Outgoing
  /** The same in another thread, for what is delivered beside calls. */
  readonly deliveries: Pick<Outgoing, 'guardedFetch' | 'close'>
  /** Counters for Prometheus. */
  readonly meters: CoreMeters
  /** What runs beside calls. */
  readonly jobs: Jobs
}
