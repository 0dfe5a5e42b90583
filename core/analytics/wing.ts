import type { Base } from '../base.ts'
import { failTo } from '../process/fail-to.ts'
import { fairQueue, type FairQueue } from '../process/concurrency/fair-queue.ts'
import { noteRefusals, type NoteRefusals } from './command/note-refusals.ts'

/** What is counted. */
export interface Analytics {
  /** Charts of studios; each job waits in the fair queue of games as well. */
  readonly chartQueue: FairQueue
  /** Counting before a chart is read. */
  readonly countQueue: FairQueue
  /** Counting that goes on in this core, by what counts and the game. */
  readonly countedNow: Map<string, Promise<void>>
  /** Counts the refused requests of games. */
  readonly refusals: NoteRefusals
}

export const analyticsParts = ({ log, store }: Base): Analytics => ({
  chartQueue: fairQueue({
    concurrency: 3,
    concurrencyOfOne: 1,
    // ten tabs with overviews at once, and the list of games: each asks for up to six counts
    maxWaitingOfOne: 100,
    maxWait: 20_000,
    refusal: 'Too many charts are being made at the moment; try again.',
  }),
  // who does not get a turn in time reads what is counted so far; what is opened is counted on beside calls
  countQueue: fairQueue({ concurrency: 2, concurrencyOfOne: 1, maxWait: 3_000 }),
  countedNow: new Map(),
  refusals: noteRefusals(store.refusals, {
    kindsOfGame: 100,
    kinds: 5_000,
    everyMs: 5_000,
    fail: failTo(log)('refusals could not be counted in the database'),
  }),
})
