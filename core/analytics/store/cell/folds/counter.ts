import type { Turn } from '../../../rules/turn.ts'
import type { Key } from '../../../../records/xapi/identify.ts'
import type { Database } from '../../../../process/database/database.ts'

export type Run = Database['run']

/** Counts each statement once, in the transaction that moves the cursor. Each counter has its own tables. */
export interface Counter {
  /** Adds turns in their order. What a turn `voids` has been added before, and is to be taken off. */
  add(run: Run, game: number, turns: readonly Turn[]): Promise<void>
}

/**
 * Counts what follows from each learner's own statements, in their order, without voided and voiding ones. When one is
 * voided, the learner is forgotten, and all other statements of the learner come again; so `voids` does not matter. An
 * erased learner is forgotten, too.
 */
export interface LearnerCounter {
  add(run: Run, game: number, turns: readonly Turn[]): Promise<void>
  /** Takes off all that was added for these learners. */
  forget(run: Run, game: number, actors: readonly Key[]): Promise<void>
}
