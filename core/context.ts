import type { Logger } from 'pino'
import type { Storage } from '../storage/storage.ts'
import type { ByteAllowance } from './byte-allowance.ts'
import type { GameRoom } from './game-room.ts'
import type { Ingest } from './command/ingest.ts'
import type { Captcha } from './access/captcha.ts'
import type { KnownBrowsers } from './access/known-browsers.ts'
import type { LaunchTokens } from './access/launch-tokens.ts'
import type { NoteEvents } from './command/note-events.ts'
import type { NoteRefusals } from './command/note-refusals.ts'
import type { AttachmentReceiver } from './command/receive-attachments.ts'
import type { Passwords } from './access/passwords.ts'
import type { Config } from './config.ts'
import type { CoreMeters } from './meters.ts'
import type { Packages } from './package/packages.ts'
import type { Slots } from './concurrency/slots.ts'
import type { Authenticator } from './access/authenticate.ts'
import type { Followers } from './query/follow.ts'
import type { Observers } from './query/observe.ts'
import type { Reservations } from './access/reservations.ts'
import type { Rates } from './rates.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { ServiceAccounts } from './access/service-accounts.ts'
import type { FairQueue } from './concurrency/fair-queue.ts'
import type { Store } from './store/store.ts'
import type { HeavyWork } from './worker/worker.ts'
import type { StoreStreams } from './store-streams.ts'

/** What handlers work with; wired in core.ts. */
export interface Core {
  readonly config: Config
  readonly log: Logger
  readonly store: Store
  readonly ingest: Ingest
  readonly attachments: AttachmentReceiver
  /** Contents of attachments that are being read. */
  readonly downloads: Slots
  readonly tokens: LaunchTokens
  readonly authenticator: Authenticator
  readonly services: ServiceAccounts
  readonly passwords: Passwords
  readonly captcha: Captcha
  readonly browsers: KnownBrowsers
  readonly limiter: RateLimiter | undefined
  /** Activities that are reserved for games of one studio. */
  readonly reservations: Reservations
  /** Limits the bytes that learners send; undefined: no limit. */
  readonly sent: ByteAllowance | undefined
  /** Free bytes of games that have a quota. */
  readonly room: GameRoom
  readonly fairQueue: FairQueue
  /** Charts that are being made, by studio; each takes a turn of its game as well. */
  readonly chartQueue: FairQueue
  /** A worker thread for work that would block this one. */
  readonly work: HeavyWork
  /** Builds, images, documents. */
  readonly storage: Storage
  readonly packages: Packages
  /** Counts the refused requests of games. */
  readonly refusals: NoteRefusals
  /** Keeps what the games of sandbox sessions do. */
  readonly events: NoteEvents
  readonly observers: Observers
  readonly followers: Followers
  /** Streams of statements to store. */
  readonly storeStreams: StoreStreams
  readonly rates: Rates
  /** What is counted for those who run this. */
  readonly meters: CoreMeters
}
