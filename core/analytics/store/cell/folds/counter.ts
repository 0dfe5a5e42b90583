import type { Known, Turn } from '../../../rules/turn.ts'
import type { Key } from '../../../../records/xapi/identify.ts'
import type { Database } from '../../../../process/database/database.ts'

export type Run = Database['run']

/**
 * Counts what follows from each learner's own statements, without voided and voiding ones, in the transaction that moves
 * the cursor. When one is voided, the learner is forgotten, and all other statements of the learner come again. An erased
 * learner is forgotten, too.
 * @param counts key of the counts: the game's number, or the negative one
 */
export interface LearnerCounter {
  add(run: Run, counts: number, turns: readonly Turn[], known: Known): Promise<void>
  /** Takes off all that was added for these actors. */
  forget(run: Run, counts: number, actors: readonly Key[]): Promise<void>
}
