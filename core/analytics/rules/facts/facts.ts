import type { Key } from '../../../records/xapi/identify.ts'
import { inTime } from '../attempts.ts'
import { allBuilds, teamsOf, type Turn } from '../turn.ts'
import { none, type Attempt, type Parted, type Track } from './partition.ts'
import { positionOf, type OwnStep } from './steps.ts'

/** What is known of a person. Teams have none of it. */
export interface LearnerFact {
  readonly actor: Key
  /** Of the first statement: milliseconds. */
  firstAt: number
  /** `earlier`: another one was before it, which has expired. */
  firstDay: number
  firstBuild: number
  lastAt: number
  lastDay: number
  lastBuild: number
  /** The level of the last step, and whether its attempt is completed. The game itself is none. */
  level: Key | null
  levelAt: number
  levelStored: number
  completed: boolean
  /** Where its row is; undefined: there is none yet. */
  readonly place?: string
}

export interface LearnerLevel extends FirstTry {
  readonly actor: Key
  readonly activity: Key
  attempts: number
  completed: number
  place?: string
}

/** The first attempt of a person at a level: place and `stored` of its first step, and how it ended. */
export interface FirstTry {
  readonly firstAt: number
  readonly firstStored: number
  readonly firstDay: number
  readonly firstBuild: number
  readonly firstCompleted: boolean
  readonly firstSuccess: boolean | null
}
export const firstTry = [
  'firstAt',
  'firstStored',
  'firstDay',
  'firstBuild',
  'firstCompleted',
  'firstSuccess',
] as const satisfies readonly (keyof FirstTry)[]

/** Days on which an actor was there with a build, or with any. Those of teams have numbers of `teamsOf`. */
export interface ActiveDay {
  readonly actor: Key
  readonly build: number
  readonly day: number
}

/** What statements say of one actor, before it is compared with what is known. */
export interface News {
  readonly actor: Key
  readonly team: boolean
  /** In the order of `stored`. */
  readonly turns: readonly Turn[]
  readonly days: readonly ActiveDays[]
  readonly tracks: readonly TrackNews[]
}

/** Days of an actor with a build, or with any. */
export interface ActiveDays extends Pick<ActiveDay, 'actor' | 'build'> {
  readonly days: ReadonlySet<number>
}

/** Steps of a track, in time; of a session, its first and its last statement. */
export interface TrackNews {
  readonly track: Track
  readonly steps: readonly OwnStep[]
}

/** @param turns in the order of `stored` */
export const newsOf = (turns: readonly Turn[]): News[] =>
  Array.from(Map.groupBy(turns, ({ actor }) => actor).values(), newsOfActor)

function newsOfActor(turns: readonly Turn[]): News {
  const { actor, team } = turns[0]!
  const days = new Map<number, Set<number>>()
  const sessions = new Map<string, [first: Turn, last: Turn]>()
  const levels = new Map<string, Map<Key, OwnStep[]>>()
  for (const turn of turns) {
    const { build, day, activity, registration, step } = turn
    for (const of of team ? [teamsOf(build), teamsOf(allBuilds)] : [build, allBuilds])
      at(days, of, () => new Set<number>()).add(day)
    if (registration !== null) {
      const seen = at(sessions, registration, (): [Turn, Turn] => [turn, turn])
      if (turn.at < seen[0].at) seen[0] = turn
      if (turn.at >= seen[1].at) seen[1] = turn
    }
    if (!step) continue
    const ofSession = at(levels, registration ?? none, () => new Map<Key, OwnStep[]>())
    at(ofSession, activity!, (): OwnStep[] => []).push({ ...step, day, build })
  }
  const tracks: TrackNews[] = []
  for (const [registration, seen] of sessions)
    tracks.push({ track: { actor, activity: none, registration }, steps: seen.map(seenStep) })
  for (const [registration, ofSession] of levels)
    for (const [activity, steps] of ofSession)
      tracks.push({ track: { actor, activity, registration }, steps: steps.sort(inTime) })
  return { actor, team, turns, days: Array.from(days, ([build, days]) => ({ actor, build, days })), tracks }
}

const seenStep = ({ at, stored, day, build }: Turn): OwnStep => ({ at, stored, mark: 0, day, build })

/** Stands for the first day of people whose first statements have expired: no range of days has it. */
export const earlier = -1_000_000

/**
 * The first and last statement of a person.
 * @param known undefined: there was none before
 * @param expired the first day of the person's statements that have expired; undefined: there are none
 */
export function seenIn(known: LearnerFact | undefined, turns: readonly Turn[], expired = Infinity): LearnerFact {
  const { actor, at, day, build } = turns[0]!
  const learner = known
    ? { ...known }
    : { actor, firstAt: at, firstDay: day, firstBuild: build, lastAt: at, lastDay: day, lastBuild: build, ...noLevel }
  for (const { at, day, build } of turns) {
    if (at < learner.firstAt) [learner.firstAt, learner.firstDay, learner.firstBuild] = [at, day, build]
    if (at >= learner.lastAt) [learner.lastAt, learner.lastDay, learner.lastBuild] = [at, day, build]
  }
  if (expired < learner.firstDay) learner.firstDay = earlier
  return learner
}
const noLevel = { level: null, levelAt: 0, levelStored: 0, completed: false }

/** Their last level, after some attempts changed. */
export function lastLevelIn(learner: LearnerFact, attempts: readonly Attempt[], wholeGames: ReadonlySet<Key>): void {
  for (const { activity, steps, completed } of attempts) {
    if (activity === none || wholeGames.has(activity)) continue
    const last = steps.at(-1)!
    const place = positionOf(last)
    if (place < learner.levelAt || (place === learner.levelAt && last.stored < learner.levelStored)) continue
    Object.assign(learner, { level: activity, levelAt: place, levelStored: last.stored, completed })
  }
}

/** Whether the first attempt is the same, with the same end. */
export const isSameFirst = (one: FirstTry, other: FirstTry): boolean =>
  firstTry.every((name) => one[name] === other[name])

/**
 * Takes over a first attempt that was before the one of the level. Steps of a learner only come, so it stays the first
 * one until an earlier one comes; at the same place the level's own has all steps.
 */
export function takeFirst(level: LearnerLevel, other: FirstTry): void {
  if ((other.firstAt - level.firstAt || other.firstStored - level.firstStored) < 0)
    Object.assign(level, Object.fromEntries(firstTry.map((name) => [name, other[name]])))
}

const firstOf = ({ began, stored, day, build, completed, success }: Attempt): FirstTry => ({
  firstAt: began,
  firstStored: stored,
  firstDay: day,
  firstBuild: build,
  firstCompleted: completed,
  firstSuccess: success,
})

/** Attempts at the level, and completed ones, that were added and taken away; the first one of those added. */
export function levelsIn(parted: readonly Parted[], people: ReadonlyMap<Key, unknown>): LearnerLevel[] {
  const levels = new Map<string, LearnerLevel>()
  const add = (attempt: Attempt, by: 1 | -1) => {
    const { actor, activity, completed } = attempt
    if (activity === none || !people.has(actor)) return
    const first = { ...firstOf(attempt), ...(by < 0 && { firstAt: Infinity }) }
    const level = at(levels, `${actor} ${activity}`, () => ({ actor, activity, attempts: 0, completed: 0, ...first }))
    level.attempts += by
    if (completed) level.completed += by
    takeFirst(level, first)
  }
  for (const { gone, made } of parted) {
    for (const attempt of gone) add(attempt, -1)
    for (const attempt of made) add(attempt, 1)
  }
  return [...levels.values()]
}

/** A day that is new, and the ones before and after it; -1: none. */
export interface NewDay extends ActiveDay {
  readonly previous: number
  readonly next: number
}

/**
 * Days that are not known yet, each with its neighbours of when it is added, one after the other.
 * @param known days of the actor with the build, with all that are next to a new one
 */
export function newDaysIn(known: readonly number[], { actor, build, days }: ActiveDays): NewDay[] {
  const all = [...new Set(known)].toSorted((a, b) => a - b)
  return [...days].flatMap((day) => {
    const place = all.findIndex((one) => one >= day)
    const [previous, next] = [all.at(place < 0 ? -1 : place - 1), all[place]]
    if (next === day) return []
    all.splice(place < 0 ? all.length : place, 0, day)
    return [{ actor, build, day, previous: place === 0 ? -1 : (previous ?? -1), next: next ?? -1 }]
  })
}

export function at<Name, Value>(map: Map<Name, Value>, name: Name, made: () => Value): Value {
  let value = map.get(name)
  if (value === undefined) map.set(name, (value = made()))
  return value
}
