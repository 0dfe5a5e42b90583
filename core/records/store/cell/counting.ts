import type { Key } from '../../xapi/identify.ts'
import type { Run } from '../../../process/database/database.ts'

export interface RemovedStatement {
  readonly stored: number
  readonly actor: Key
  readonly registration: string | null
}

/**
 * What other wings count from statements. They hear in the same transaction what is removed or changed, so that a count
 * equals a recount.
 */
export interface Counting {
  /** Takes the cursor of the game: nothing counts until the transaction ends. Returns whether anything was before. */
  holdCounts(run: Run, game: number): Promise<boolean>
  /** Takes statements off the sums of days, before they are removed. @param places `stored` of each */
  takeOffDays(run: Run, game: number, places: readonly number[]): Promise<void>
  /** Forgets days that end before (microseconds), as far as nothing of them is counted any more. */
  forgetDays(run: Run, game: number, before: number): Promise<void>
  /** Takes off all that was counted of these learners. @param again count their statements once more */
  forgetLearners(run: Run, game: number, actors: readonly Key[], again: boolean): Promise<void>
  /** Keeps keyed hashes of the people whose statements these are, before they expire. @param places `stored` of each */
  rememberFormer(run: Run, game: number, places: readonly number[]): Promise<void>
  /** The games that have a keyed hash of the learner. @param only games; undefined: all */
  formerGames(run: Run, learner: Key, only: readonly number[] | undefined): Promise<number[]>
  /** Removes these hashes. */
  eraseFormer(run: Run, learner: Key, only: readonly number[] | undefined): Promise<void>
  /** Takes removed statements off the lists of learners. */
  takeOffSeen(run: Run, game: number, removed: readonly RemovedStatement[]): Promise<void>
  /** Removes a learner from the lists of learners. */
  forgetSeen(run: Run, games: readonly number[], actor: Key): Promise<void>
  /** Makes the list of learners of a game start again from its first statement. */
  forgetAllSeen(run: Run, game: number, milliseconds: number): Promise<void>
}
