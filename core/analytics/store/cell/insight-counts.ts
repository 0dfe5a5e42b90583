import type { InsightDay, InsightRefusal } from '../../../../gen/lrs/v1/insights_pb.js'
import type { Fields } from '../../../process/methods/answer.ts'
import type { Counted } from '../../rules/counted.ts'

/** Days such as `2026-11-21`, both included. */
export interface Days {
  readonly from: string
  readonly to: string
}

export type DayCounts = Fields<InsightDay>

export interface VerbCounts {
  readonly iri: string
  readonly name: string
  readonly statements: number
}

export interface ActivityCounts {
  readonly iri: string
  readonly name: string
  readonly completions: number
  readonly passed: number
  readonly failed: number
  readonly scoreSum: number
  readonly scores: readonly number[]
}

export type RefusalCounts = Fields<InsightRefusal>

/** For a list of games. */
export interface PlayersOfDays {
  readonly learners: number
  readonly learnersBefore: number
  /** Only days with at least one entry. */
  readonly days: readonly DayCounts[]
}

export interface Insights extends Counted {
  /** Only days with at least one entry. */
  readonly days: readonly DayCounts[]
  readonly verbs: readonly VerbCounts[]
  readonly activities: readonly ActivityCounts[]
  readonly refusals: readonly RefusalCounts[]
  readonly learners: number
  readonly teams: number
  readonly sessions: number
}
