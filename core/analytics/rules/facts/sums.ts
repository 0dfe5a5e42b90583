import type { Key } from '../../../records/xapi/identify.ts'
import { isAbandoned } from '../attempts.ts'
import { addTo, bucketOf, scoreScale, timeScale, type Buckets } from './buckets.ts'
import { at, type ActiveDay, type FirstTry, type LearnerFact, type LearnerLevel } from './facts.ts'
import { none, type Attempt, type Track } from './partition.ts'
import { withMonths } from './periods.ts'

/** What is counted is added, or taken off. */
export type By = 1 | -1
/** Days after the first one for which returns are counted. */
export const returnDays = 30
/** Levels of a list; one more is read, to know that there are more. */
export const mostLevels = 100
/** People who need help. */
export const mostHelped = 50

export interface ReturnSum {
  readonly day: number
  readonly build: number
  readonly after: number
  learners: number
}
export interface PresenceSum {
  readonly build: number
  readonly day: number
  readonly previous: number
  learners: number
}
export interface FunnelSum {
  readonly day: number
  readonly build: number
  readonly activity: Key
  started: number
  completed: number
}
export interface LeavingSum {
  readonly day: number
  readonly build: number
  readonly activity: Key
  during: number
  completed: number
}
export interface AttemptSum {
  readonly wholeMonth: boolean
  readonly day: number
  readonly activity: Key
  readonly build: number
  attempts: number
  completed: number
  passed: number
  failed: number
  abandoned: number
  millis: number
  scoreMillionths: number
  /** Attempts that are a person's first one at the level, and how these ended. */
  firstTries: number
  firstCompleted: number
  firstPassed: number
  firstFailed: number
  readonly times: Buckets
  readonly scores: Buckets
}

/** What changed facts add to the tallies. */
export interface Sums {
  readonly returns: Map<string, ReturnSum>
  readonly presence: Map<string, PresenceSum>
  readonly funnel: Map<string, FunnelSum>
  readonly leaving: Map<string, LeavingSum>
  readonly attempts: Map<string, AttemptSum>
}

export const noSums = (): Sums => ({
  returns: new Map(),
  presence: new Map(),
  funnel: new Map(),
  leaving: new Map(),
  attempts: new Map(),
})

/** Where people are who left now. */
export function addLeaving(
  { leaving }: Sums,
  { lastDay: day, lastBuild: build, level, completed }: LearnerFact,
  by: By,
) {
  const activity = level ?? none
  const sum = at(leaving, `${day} ${build} ${activity}`, () => ({ day, build, activity, during: 0, completed: 0 }))
  sum[completed ? 'completed' : 'during'] += by
}

/** @param previous the actor's day before it with this build; -1: there is none */
export function addPresence({ presence }: Sums, { build, day }: ActiveDay, previous: number, by: By) {
  at(presence, `${build} ${day} ${previous}`, () => ({ build, day, previous, learners: 0 })).learners += by
}

/** A day of a person with any build. */
export function addReturn({ returns }: Sums, day: number, { firstDay, firstBuild }: LearnerFact, by: By) {
  const after = day - firstDay
  if (after < 0 || after > returnDays) return
  const made = () => ({ day: firstDay, build: firstBuild, after, learners: 0 })
  at(returns, `${firstDay} ${firstBuild} ${after}`, made).learners += by
}

/** A level that a person started. */
export function addLevel(
  { funnel }: Sums,
  { activity, completed, attempts }: LearnerLevel,
  learner: LearnerFact,
  by: By,
) {
  const { firstDay: day, firstBuild: build } = learner
  const sum = at(funnel, `${day} ${build} ${activity}`, () => ({ day, build, activity, started: 0, completed: 0 }))
  if (attempts > 0) sum.started += by
  if (completed > 0) sum.completed += by
}

const attemptSum = ({ attempts }: Sums, { day, activity, build }: Pick<AttemptSum, 'day' | 'activity' | 'build'>) =>
  at(attempts, attemptName({ day, activity, build }), () => ({
    wholeMonth: false,
    day,
    activity,
    build,
    attempts: 0,
    completed: 0,
    passed: 0,
    failed: 0,
    abandoned: 0,
    millis: 0,
    scoreMillionths: 0,
    firstTries: 0,
    firstCompleted: 0,
    firstPassed: 0,
    firstFailed: 0,
    times: new Map(),
    scores: new Map(),
  }))

/** The first attempt of a person at a level. */
export function addFirst(sums: Sums, { activity, firstDay, firstBuild, firstCompleted, firstSuccess }: First, by: By) {
  const sum = attemptSum(sums, { day: firstDay, activity, build: firstBuild })
  sum.firstTries += by
  if (firstCompleted) sum.firstCompleted += by
  if (firstSuccess === true) sum.firstPassed += by
  if (firstSuccess === false) sum.firstFailed += by
}
type First = FirstTry & Pick<LearnerLevel, 'activity'>

export function addAttempt(sums: Sums, row: Omit<Attempt, keyof Track | 'steps'> & Pick<Track, 'activity'>, by: By) {
  const { millis, score } = row
  const sum = attemptSum(sums, row)
  sum.attempts += by
  if (row.completed) sum.completed += by
  if (row.success === true) sum.passed += by
  if (row.success === false) sum.failed += by
  if (isAbandoned(row)) sum.abandoned += by
  if (millis !== null) {
    sum.millis += by * millis
    addTo(sum.times, bucketOf(timeScale, millis), by)
  }
  if (score !== null) {
    sum.scoreMillionths += by * Math.round(score * 1_000_000)
    addTo(sum.scores, bucketOf(scoreScale, score), by)
  }
}

const attemptName = ({ day, activity, build }: Pick<AttemptSum, 'day' | 'activity' | 'build'>) =>
  `${day} ${activity} ${build}`
/** What of a sum of attempts is added. */
export const attemptCounts = [
  'attempts',
  'completed',
  'passed',
  'failed',
  'abandoned',
  'millis',
  'scoreMillionths',
  'firstTries',
  'firstCompleted',
  'firstPassed',
  'firstFailed',
] as const

/** Sums of attempts, of days and of months. */
export const attemptSums = ({ attempts }: Sums): AttemptSum[] =>
  withMonths(
    [...attempts.values()],
    attemptName,
    (sum, row) => {
      for (const name of attemptCounts) sum[name] += row[name]
      for (const [bucket, count] of row.times) addTo(sum.times, bucket, count)
      for (const [bucket, count] of row.scores) addTo(sum.scores, bucket, count)
    },
    (row) => ({ ...row, times: new Map(row.times), scores: new Map(row.scores) }),
  )
