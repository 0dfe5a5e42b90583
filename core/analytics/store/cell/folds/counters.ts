import type { Counter, LearnerCounter } from './counter.ts'
import { chartCounts } from './chart-counts.ts'
import { learnerFacts } from './learner-facts.ts'
import { learnerPlays } from './plays.ts'

/** All that counts statements of a game (core/analytics/store/cell/tallies.ts). */
export const counters: readonly Counter[] = [chartCounts]
export const learnerCounters: readonly LearnerCounter[] = [learnerFacts, learnerPlays]
