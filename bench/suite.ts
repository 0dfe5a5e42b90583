import type { Postgres } from '../start/postgres.ts'
import type { Comparison } from './arms.ts'
import type { Credential } from './fill.ts'
import type { Load } from './load/load.ts'
import type { Round } from './load/measure.ts'
import type { Watched } from './cpu.ts'
import type { Shape } from './shapes/shape.ts'
import type { System } from './system.ts'

/** What a sub-bench works with. */
export interface Bench {
  /** Statements that the store was filled to. */
  size: number
  shape: Shape
  databaseUrl: string
  /** One for each game of the shape. */
  credentials: readonly Credential[]
  /** Of the first game. */
  credential: Credential
  postgres: Postgres
  system: System
  load: Load
  /** Whose CPU a round notes. */
  watched: Watched
  /** For logs, profiles and throw-away data. */
  folder: string
  rounds: number
  /** Of one round of one arm. */
  ms: number
  minutes: number
  profile: boolean
  /** Another seed each time, so that no statement comes twice. */
  seed(): number
}

/** One line of the table. */
export interface Line {
  suite: string
  /** Of the statements in the store; the bench adds it. */
  shape?: string
  measure: string
  size: number
  unit: string
  value: number
  /** Percentiles in ms of `value`, where it is a rate. */
  p50?: number
  p99?: number
  floor?: { name: string; value: number; p50?: number; p99?: number; cpu?: Round['cpu'] }
  /** µs of each process for each unit. */
  cpu?: Round['cpu']
  ratio?: number
  goal?: Goal
}

/** A goal for `ratio`, or for `value` where there is no ratio. */
export interface Goal {
  atLeast?: number
  atMost?: number
}

export interface Suite {
  name: string
  /** Does not depend on the size of the store: runs on the last one only. */
  once?: boolean
  /** Runs only when it is named. */
  asked?: boolean
  run(bench: Bench): Promise<Line[]>
}

/** The line for one arm beside its floor. */
export function lineOf(
  suite: string,
  measure: string,
  size: number,
  unit: string,
  comparison: Comparison,
  arm: string,
  floor: string,
  goal?: Goal,
): Line {
  const [ours, other] = [comparison.of(arm), comparison.of(floor)]
  return {
    suite,
    measure,
    size,
    unit,
    value: ours.rate,
    p50: ours.p50,
    p99: ours.p99,
    cpu: ours.cpu,
    floor: { name: floor, value: other.rate, p50: other.p50, p99: other.p99, cpu: other.cpu },
    ratio: comparison.ratio(arm, floor),
    goal,
  }
}
