import type { LearnerCounter } from './counter.ts'
import { learnerFacts } from './learner-facts.ts'
import { learnerPlays } from './plays.ts'

/** All that counts what follows from each learner's statements (core/analytics/store/cell/tallies.ts). */
export const learnerCounters: readonly LearnerCounter[] = [learnerFacts, learnerPlays]
