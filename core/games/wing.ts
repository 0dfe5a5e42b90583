import { openStorage } from '../../storage/open.ts'
import { warnOfPlays } from '../analytics/command/warn-of-plays.ts'
import type { Base } from '../base.ts'
import { fairQueue } from '../process/concurrency/fair-queue.ts'
import { failTo } from '../process/fail-to.ts'
import { launchTokens, type LaunchTokens } from './access/launch-tokens.ts'
import type { Files } from './command/files.ts'
import { noteEvents, type NoteEvents } from './command/note-events.ts'
import { packages } from './package/packages.ts'
import { thumbnails } from './package/thumbnails.ts'
import { observers, type Observers } from './query/observe.ts'
import { playedKept, type PlayedKept } from './query/played-kept.ts'

/** Builds, sessions in the player, and requests of games as their studios see them. */
export interface Games extends Files {
  readonly tokens: LaunchTokens
  /** Keeps what the games of sandbox sessions do. */
  readonly events: NoteEvents
  readonly observers: Observers
  /** What pupils of lessons did whose boards are open. */
  readonly boards: PlayedKept
  /** Files of schools are read one after the other: the rows of one may take 200 MB. */
  readonly rosterQueue: Pick<ReturnType<typeof fairQueue>, 'run'>
}

/** @param given parts that are made already */
export const gameParts = (
  { config, log, store }: Pick<Base, 'config' | 'log' | 'store'>,
  given: Partial<Games>,
): Games => ({
  store,
  tokens: given.tokens ?? launchTokens(config.signingKeys),
  storage: openStorage(config.storage),
  packages: packages({
    storage: config.storage,
    clamd: config.clamd,
    maxExpanded: config.buildMaxExpanded,
    atOnce: 2,
    timeout: 10 * 60_000,
  }),
  thumbnails: thumbnails(),
  events: noteEvents(store.sandboxEvents, {
    ofSession: 200,
    inAll: 2_000,
    withinMs: 40,
    warn: (session, requests) => warnOfPlays(store, session, requests),
    fail: failTo(log)('events of sandbox sessions could not be stored'),
  }),
  observers: observers(store, { ofSession: 10, ofStudio: 30, inAll: 200, pollMs: 5_000 }),
  boards: playedKept(),
  rosterQueue: fairQueue({
    concurrency: 1,
    concurrencyOfOne: 1,
    maxWaiting: 50,
    maxWait: 60_000,
    refusal: 'Too many files of schools are being read at the moment; try again in a minute.',
  }),
})
