import type { Key } from '../../../records/xapi/identify.ts'
import type { Turn } from '../turn.ts'
import { attemptStep, ends, longest, starts, stated } from './attempt-steps.ts'

/** Days count from 1970 in UTC. */
export const dayOf = (stored: number): number => Math.floor(stored / 86_400_000_000)

/** In place of an Activity: sessions; in place of a registration: none. */
export const none = '00000000-0000-0000-0000-000000000000'

export interface LearnerFact {
  readonly actor: Key
  readonly firstDay: number
  readonly firstBuild: number
  lastDay: number
  lastBuild: number
  /** The level of the last attempt, and whether that attempt is completed. */
  level: Key | null
  completed: boolean
}

export interface LearnerLevel {
  readonly actor: Key
  readonly activity: Key
  attempts: number
  completed: number
}

export interface ActiveDay {
  readonly actor: Key
  readonly build: number
  readonly day: number
  /** The day before it with this build, and with any build; -1: there is none. */
  readonly previous: number
  readonly previousAny: number
  /** No other build came first on that day. */
  readonly first: boolean
}

/** An attempt at a level, or a session, which has `none` as its Activity. */
export interface Attempt {
  readonly actor: Key
  readonly activity: Key
  readonly registration: string
  /** `stored` of its first statement. */
  readonly began: number
  readonly day: number
  readonly build: number
  /** The bits of attempt-steps.ts. */
  marks: number
  /** Milliseconds since 1970, by `timestamp`. */
  startedAt: number | null
  endedAt: number | null
  millis: number | null
  score: number | null
  completed: boolean
  success: boolean | null
}

/** Facts that are there; those of learners, levels and the last ones of days and attempts. Keys: see `keys`. */
export interface Known {
  readonly learners: Map<string, LearnerFact>
  readonly levels: Map<string, LearnerLevel>
  readonly days: Map<string, ActiveDay>
  readonly attempts: Map<string, Attempt>
}

export const keys = {
  level: (actor: Key, activity: Key) => `${actor} ${activity}`,
  day: (actor: Key, build: number) => `${actor} ${build}`,
  attempt: (actor: Key, activity: Key, registration: string) => `${actor} ${activity} ${registration}`,
}

/** A row before and after; undefined: it was not there. */
export type Changed<Row> = Map<Row, Row | undefined>

export interface Changes {
  readonly learners: Changed<LearnerFact>
  readonly levels: Changed<LearnerLevel>
  readonly days: Changed<ActiveDay>
  readonly attempts: Changed<Attempt>
}

/**
 * What a learner's statements, in their order, say of the learner. It changes the rows of `known`.
 * @param gameId UUID
 */
export function addFacts(known: Known, turns: readonly Turn[], gameId: string): Changes {
  const changes: Changes = { learners: new Map(), levels: new Map(), days: new Map(), attempts: new Map() }

  /** The row to change; `made`: it is new. */
  function change<Row extends object>(
    rows: Map<string, Row>,
    changed: Changed<Row>,
    key: string,
    made: () => Row,
  ): Row {
    let row = rows.get(key)
    if (row) {
      if (!changed.has(row)) changed.set(row, { ...row })
    } else {
      row = made()
      rows.set(key, row)
      changed.set(row, undefined)
    }
    return row
  }

  function addDay(turn: Turn, day: number): LearnerFact {
    const { actor, build } = turn
    const before = known.learners.get(actor)?.lastDay ?? -1
    const learner = change(known.learners, changes.learners, actor, () => ({
      actor,
      firstDay: day,
      firstBuild: build,
      lastDay: day,
      lastBuild: build,
      level: null,
      completed: false,
    }))
    const key = keys.day(actor, build)
    const previous = known.days.get(key)?.day ?? -1
    if (previous !== day) {
      const row = { actor, build, day, previous, previousAny: before, first: before !== day }
      known.days.set(key, row)
      changes.days.set(row, undefined)
    }
    learner.lastDay = day
    learner.lastBuild = build
    return learner
  }

  function attemptAt(turn: Turn, activity: Key, day: number, joins: (last: Attempt) => boolean): Attempt {
    const { actor, registration, stored, build } = turn
    const key = keys.attempt(actor, activity, registration ?? none)
    const last = known.attempts.get(key)
    if (last && !joins(last)) known.attempts.delete(key)
    return change(known.attempts, changes.attempts, key, () => ({
      actor,
      activity,
      registration: registration ?? none,
      began: stored,
      day,
      build,
      marks: 0,
      startedAt: null,
      endedAt: null,
      millis: null,
      score: null,
      completed: false,
      success: null,
    }))
  }

  function addSession(turn: Turn, day: number, at: number): void {
    const session = attemptAt(turn, none, day, () => true)
    session.startedAt = Math.min(at, session.startedAt ?? at)
    session.endedAt = Math.max(at, session.endedAt ?? at)
    session.millis = within(session.endedAt - session.startedAt)
  }

  function addAttempt(turn: Turn, learner: LearnerFact, day: number, at: number): void {
    const { actor, activity, statement } = turn
    const step = activity === null ? undefined : attemptStep(statement, gameId)
    if (activity === null || !step) return
    const isStart = (step.mark & starts) !== 0
    const attempt = attemptAt(
      turn,
      activity,
      day,
      ({ marks }) => (marks & step.mark) === 0 && !(isStart && (marks & ends) !== 0),
    )
    const level = change(known.levels, changes.levels, keys.level(actor, activity), () => ({
      actor,
      activity,
      attempts: 0,
      completed: 0,
    }))
    if (attempt.marks === 0) level.attempts++
    attempt.marks |= step.mark
    if (isStart) attempt.startedAt ??= at
    else addEnd(attempt, step, at)
    if (step.completed && !attempt.completed) {
      attempt.completed = true
      level.completed++
    }
    if (step.wholeGame) return
    learner.level = activity
    learner.completed = attempt.completed
  }

  for (const turn of turns) {
    const day = dayOf(turn.stored)
    const at = Date.parse(turn.statement.timestamp ?? '') || Math.floor(turn.stored / 1000)
    const learner = addDay(turn, day)
    if (turn.registration !== null) addSession(turn, day, at)
    addAttempt(turn, learner, day, at)
  }
  return changes
}

function addEnd(attempt: Attempt, step: { duration?: number; score?: number; success?: boolean }, at: number): void {
  if (step.duration !== undefined && (attempt.marks & stated) === 0) {
    attempt.millis = step.duration
    attempt.marks |= stated
  }
  if (attempt.endedAt === null) {
    attempt.endedAt = at
    if (attempt.startedAt !== null) attempt.millis ??= within(at - attempt.startedAt)
  }
  attempt.score = step.score ?? attempt.score
  attempt.success = step.success ?? attempt.success
}

const within = (millis: number): number | null => (millis >= 0 && millis <= longest ? millis : null)
