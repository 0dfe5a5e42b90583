import type { Activity, LanguageMap, Statement } from '../../records/xapi/types.ts'
import {
  attemptsOf,
  containersOf,
  does,
  inTime,
  isAbandoned,
  isWholeGame,
  outcomeOf,
  stepOf,
  type Outcome,
  type Step,
} from './attempts.ts'
import { happenedAt } from './when.ts'

/** A statement of a learner that is not voided. */
export interface Said {
  /** Microseconds. */
  readonly stored: number
  readonly statement: Statement
}

/** What a learner did at one Activity. */
export interface Played {
  readonly activityId: string
  /** The latest; undefined: none was given. */
  readonly name: LanguageMap | undefined
  /** It is the game itself, and no level. */
  readonly wholeGame: boolean
  /** In the order in which they began. */
  readonly attempts: readonly (Outcome & { readonly steps: readonly Step[] })[]
}

/** What a learner did in one level, in attempts. */
export interface LearnerLevel {
  readonly activityId: string
  /** JSON of a language map; empty: none. */
  readonly name: string
  readonly attempts: number
  readonly completed: number
  readonly passed: number
  readonly failed: number
  readonly abandoned: number
  readonly done: number
  readonly best?: number
  readonly lastScore?: number
  readonly seconds: number
  /** When its first and its last statement happened: microseconds. */
  readonly firstSeen: number
  readonly last: number
}

/** What a statement says of an attempt, and at what. */
export interface ToldStep {
  readonly step: Step
  readonly activityId: string
  readonly name: LanguageMap | undefined
  readonly type: string | undefined
  readonly session: string
  readonly containers: readonly string[]
}

/** Undefined: it says nothing of an attempt. @param start of the game, as for `happenedAt` */
export function toldStep({ stored, statement }: Said, start: number | null): ToldStep | undefined {
  if ((statement.object.objectType ?? 'Activity') !== 'Activity') return undefined
  const step = stepOf(statement, happenedAt(statement.timestamp, stored, start), stored)
  if (step === undefined) return undefined
  const { id, definition } = statement.object as Activity
  return {
    step,
    activityId: id,
    name: definition?.name,
    type: definition?.type,
    session: statement.context?.registration?.toLowerCase() ?? '',
    containers: containersOf(statement).filter((container) => container !== id),
  }
}

/**
 * The attempts of one learner.
 * @param said in the order of `stored` @param gameId UUID @param start of the game, as for `happenedAt`
 */
export const playedBy = (said: readonly Said[], gameId: string, start: number | null): Played[] =>
  playedIn(
    said.flatMap((one) => toldStep(one, start) ?? []),
    gameId,
  )

/** The same of what their statements say. */
export function playedIn(told: readonly ToldStep[], gameId: string): Played[] {
  const known = new Map<string, { name?: LanguageMap; type: string; readonly sessions: Map<string, Step[]> }>()
  const containers = new Set<string>()
  for (const one of told) {
    const of = known.get(one.activityId) ?? { type: '', sessions: new Map<string, Step[]>() }
    known.set(one.activityId, of)
    of.name = one.name ?? of.name
    of.type = one.type ?? of.type
    const steps = of.sessions.get(one.session) ?? []
    steps.push(one.step)
    of.sessions.set(one.session, steps)
    for (const container of one.containers) containers.add(container)
  }
  return Array.from(known, ([activityId, { name, type, sessions }]) => ({
    activityId,
    name,
    wholeGame: isWholeGame(activityId, type, containers.has(activityId), gameId),
    attempts: [...sessions.values()]
      .flatMap((steps) => attemptsOf(steps.toSorted(inTime)))
      .map((steps) => ({ ...outcomeOf(steps), steps }))
      .toSorted((one, other) => inTime(one.steps[0]!, other.steps[0]!)),
  }))
}

/** Levels of these, the last played first. */
export const levelsOf = (played: readonly Played[]): LearnerLevel[] =>
  played
    .filter(({ wholeGame }) => !wholeGame)
    .map(levelOf)
    .toSorted((one, other) => other.last - one.last)

function levelOf({ activityId, name, attempts }: Played): LearnerLevel {
  const scores = attempts.flatMap(({ score }) => score ?? [])
  return {
    activityId,
    name: name === undefined ? '' : JSON.stringify(name),
    attempts: attempts.length,
    completed: attempts.filter(({ completed }) => completed).length,
    passed: attempts.filter(({ success }) => success === true).length,
    failed: attempts.filter(({ success }) => success === false).length,
    abandoned: attempts.filter(isAbandoned).length,
    done: attempts.filter(does).length,
    ...(scores.length > 0 && { best: Math.max(...scores), lastScore: scores.at(-1)! }),
    seconds: attempts.reduce((sum, { millis }) => sum + (millis ?? 0), 0) / 1000,
    firstSeen: attempts[0]!.steps[0]!.at * 1000,
    last: Math.max(...attempts.flatMap(({ steps }) => steps.map(({ at }) => at))) * 1000,
  }
}
