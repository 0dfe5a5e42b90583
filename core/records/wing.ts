import { sizes } from '../../shared/limits.ts'
import type { Base } from '../base.ts'
import { failTo } from '../process/fail-to.ts'
import { fairQueue, type FairQueue } from '../process/concurrency/fair-queue.ts'
import { slots, type Slots } from '../process/concurrency/slots.ts'
import { byteAllowance, type ByteAllowance } from '../process/limits/byte-allowance.ts'
import { rateLimiter, type RateLimiter } from '../process/limits/rate-limiter.ts'
import { storeStreams, type StoreStreams } from '../process/limits/store-streams.ts'
import { authenticator, type Authenticator } from './access/caller.ts'
import { gameRoom, type GameRoom } from './access/game-room.ts'
import { reservations, type Reservations } from './command/checks.ts'
import { commitMeters, ingest, ingestByCell, type IngestByCell } from './command/ingest.ts'
import { attachmentReceiver, type AttachmentReceiver } from './command/receive-attachments.ts'
import { tracedIngest } from './command/traced-ingest.ts'
import { followers, type Followers } from './query/follow.ts'
import { heavyWork, type HeavyWork } from './worker/worker.ts'

/** How statements come in and go out, and how much each caller may send. */
export interface Records {
  readonly authenticator: Authenticator
  readonly ingest: IngestByCell
  readonly attachments: AttachmentReceiver
  /** Slots for attachments that are being read. */
  readonly downloads: Slots
  /** Streams of statements to store. */
  readonly storeStreams: StoreStreams
  readonly followers: Followers
  /** Pages of the portal that show statements as they arrive. They take no slot of the services that follow. */
  readonly pageFollowers: Followers
  /** Activities that are reserved for games of one studio. */
  readonly reservations: Reservations
  /** Undefined: no request limits. */
  readonly limiter: RateLimiter | undefined
  /** Limits the bytes that learners send; undefined: no limit. */
  readonly sent: ByteAllowance | undefined
  /** Free bytes of games that have a quota. */
  readonly room: GameRoom
  /** Jobs of games on the database. */
  readonly fairQueue: FairQueue
  /** A worker thread for work that would block this one. */
  readonly work: HeavyWork
}

/** Bytes of statements that wait for a commit. */
const mostWaiting = 64 * 1024 * 1024

/** @param given parts that are made already */
export function recordParts(
  { config, log, store, meters, patience }: Base,
  tokens: Parameters<typeof authenticator>[1],
  given: Partial<Records>,
): Records {
  const fail = failTo(log)
  const { rateLimitFactor: factor, attachmentsMaxBytes: largest } = config
  const work = given.work ?? heavyWork({ waiting: 64, waitingOfGame: 32, patience: 5_000, timeout: 10_000 })
  const sent = given.sent ?? (factor > 0 ? byteAllowance({ factor, largest, windows: 100_000 }) : undefined)
  const room = gameRoom(store)
  return {
    authenticator: authenticator(store, tokens, factor),
    ingest: tracedIngest(store.statements.store, (storeGroup) =>
      ingestByCell(
        () =>
          ingest(storeGroup, {
            committed: commitMeters(meters),
            groupSize: 4_000,
            ahead: 1,
            maxWaitingBytes: mostWaiting,
            maxWaitingBytesOfGame: 16 * 1024 * 1024,
            closesAfter: patience,
          }),
        mostWaiting,
      ),
    ),
    attachments: attachmentReceiver(store.attachments, work, {
      slots: slotsFor('sent', 32),
      parts: sizes.statementsPerRequest,
      bytes: largest,
      sent,
      room,
    }),
    downloads: slotsFor('read', 256),
    storeStreams: storeStreams({ inAll: 100, ofGame: 20, ofLearner: 2 }),
    followers: followers(store, work, {
      ofGame: 20,
      inAll: 100,
      pollMs: 100,
      heartbeatMs: 5_000,
      fail: fail('new statements could not be looked up for followers'),
    }),
    // a page shows statements of other cores up to a second later, which saves queries
    pageFollowers: followers(store, work, {
      ofGame: 20,
      inAll: 200,
      pollMs: 1_000,
      heartbeatMs: 15_000,
      fail: fail('new statements could not be looked up for pages'),
    }),
    reservations: reservations(store.reservations, { renewMs: 1_000, longestMs: 3_000 }),
    limiter: factor > 0 ? rateLimiter({ factor, windows: 200_000 }) : undefined,
    sent,
    room,
    fairQueue: fairQueue({
      ...connectionsOfReads(config.databaseConnections),
      maxWaitingOfOne: 1_000,
      maxWait: patience,
    }),
    work,
  }
}

const slotsFor = (what: string, inAll: number) =>
  slots({ inAll, ofOne: 8, refusal: `Too many attachments are being ${what} at the moment; try again.` })

/** Reads leave two connections free for writes. Two games with slow reads leave connections to the reads of others. */
function connectionsOfReads(connections: number) {
  const concurrency = Math.max(1, connections - 2)
  return { concurrency, concurrencyOfOne: Math.ceil(concurrency / 3) }
}
