import type { Key } from '../../../records/xapi/identify.ts'
import { addTo, bucketOf, scoreScale, timeScale, type Buckets } from './buckets.ts'
import type { ActiveDay, Attempt, Changed, Changes, LearnerFact, LearnerLevel } from './facts.ts'
import { monthOf } from '../../../process/rules/months.ts'
import { none } from './facts.ts'

/** In place of the number of a build: all builds. */
export const allBuilds = -1
/** Days after the first one for which returns are counted. */
export const returnDays = 30
/** Levels of a list; one more is read, to know that there are more. */
export const mostLevels = 100

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
  unfinished: number
  millis: number
  scoreMillionths: number
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

/** @param learners the learners of all changed rows */
export function sumsOf(changes: Changes, learners: ReadonlyMap<string, LearnerFact>): Sums {
  const sums: Sums = {
    returns: new Map(),
    presence: new Map(),
    funnel: new Map(),
    leaving: new Map(),
    attempts: new Map(),
  }
  each(changes.learners, (row, by) => addLeaving(sums, row, by))
  each(changes.days, (row, by) => addDay(sums, row, learners.get(row.actor)!, by))
  each(changes.levels, (row, by) => addLevel(sums, row, learners.get(row.actor)!, by))
  each(changes.attempts, (row, by) => addAttempt(sums, row, by))
  return sums
}

/** Takes off what was there, and adds what is there. */
function each<Row>(changed: Changed<Row>, add: (row: Row, by: 1 | -1) => void): void {
  for (const [now, before] of changed) {
    if (before !== undefined) add(before, -1)
    add(now, 1)
  }
}

/** What these facts had added, to take it off. */
export function allSumsOf(
  rows: {
    readonly learners: readonly LearnerFact[]
    readonly days: readonly ActiveDay[]
    readonly levels: readonly LearnerLevel[]
    readonly attempts: readonly Attempt[]
  },
  of: ReadonlyMap<string, LearnerFact>,
): Sums {
  const sums = sumsOf({ learners: new Map(), days: new Map(), levels: new Map(), attempts: new Map() }, of)
  for (const row of rows.learners) addLeaving(sums, row, -1)
  for (const row of rows.days) addDay(sums, row, of.get(row.actor)!, -1)
  for (const row of rows.levels) addLevel(sums, row, of.get(row.actor)!, -1)
  for (const row of rows.attempts) addAttempt(sums, row, -1)
  return sums
}

function addLeaving({ leaving }: Sums, { lastDay: day, lastBuild: build, level, completed }: LearnerFact, by: number) {
  const activity = level ?? none
  const sum = at(leaving, `${day} ${build} ${activity}`, () => ({ day, build, activity, during: 0, completed: 0 }))
  sum[completed ? 'completed' : 'during'] += by
}

function addDay({ presence, returns }: Sums, row: ActiveDay, { firstDay, firstBuild }: LearnerFact, by: number) {
  const seen = (build: number, previous: number) => {
    const { day } = row
    at(presence, `${build} ${day} ${previous}`, () => ({ build, day, previous, learners: 0 })).learners += by
  }
  seen(row.build, row.previous)
  if (!row.first) return
  seen(allBuilds, row.previousAny)
  const after = row.day - firstDay
  if (after > returnDays) return
  const made = () => ({ day: firstDay, build: firstBuild, after, learners: 0 })
  at(returns, `${firstDay} ${firstBuild} ${after}`, made).learners += by
}

function addLevel({ funnel }: Sums, { activity, completed }: LearnerLevel, learner: LearnerFact, by: number) {
  const { firstDay: day, firstBuild: build } = learner
  const sum = at(funnel, `${day} ${build} ${activity}`, () => ({ day, build, activity, started: 0, completed: 0 }))
  sum.started += by
  if (completed > 0) sum.completed += by
}

function addAttempt({ attempts }: Sums, row: Attempt, by: number) {
  const { activity, build, millis, score } = row
  for (const wholeMonth of [false, true]) {
    const day = wholeMonth ? monthOf(row.day) : row.day
    const sum = at(attempts, `${wholeMonth} ${day} ${activity} ${build}`, () => ({
      wholeMonth,
      day,
      activity,
      build,
      attempts: 0,
      completed: 0,
      passed: 0,
      failed: 0,
      unfinished: 0,
      millis: 0,
      scoreMillionths: 0,
      times: new Map(),
      scores: new Map(),
    }))
    sum.attempts += by
    if (row.completed) sum.completed += by
    if (row.success === true) sum.passed += by
    if (row.success === false) sum.failed += by
    if (!row.completed && row.success !== false) sum.unfinished += by
    if (millis !== null) {
      sum.millis += by * millis
      addTo(sum.times, bucketOf(timeScale, millis), by)
    }
    if (score !== null) {
      sum.scoreMillionths += by * Math.round(score * 1_000_000)
      addTo(sum.scores, bucketOf(scoreScale, score), by)
    }
  }
}

function at<T>(map: Map<string, T>, key: string, made: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = made()))
  return value
}
