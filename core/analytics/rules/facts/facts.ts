import type { Key } from '../../../records/xapi/identify.ts'
import { inTime, stepOf } from '../attempts.ts'
import { allBuilds, teamsOf, type Turn } from '../turn.ts'
import { none, type Attempt, type Parted, type Track } from './partition.ts'
import { placeOf, type OwnStep } from './steps.ts'

/** What is known of a person. Teams have none of it. */
export interface LearnerFact {
  readonly actor: Key
  /** Of the first statement: milliseconds. */
  firstAt: number
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
}

export interface LearnerLevel {
  readonly actor: Key
  readonly activity: Key
  attempts: number
  completed: number
}

/** Days on which an actor was there with a build, or with any. Those of teams have numbers of `teamsOf`. */
export interface ActiveDay {
  readonly actor: Key
  readonly build: number
  readonly day: number
}

export const keys = {
  level: ({ actor, activity }: Pick<Track, 'actor' | 'activity'>) => `${actor} ${activity}`,
  days: ({ actor, build }: Pick<ActiveDay, 'actor' | 'build'>) => `${actor} ${build}`,
  track: ({ actor, activity, registration }: Track) => `${actor} ${activity} ${registration}`,
}

/** What statements say, before it is compared with what is known. */
export interface News {
  /** By actor: their statements. */
  readonly people: Map<Key, Turn[]>
  readonly days: Map<string, ActiveDay>
  readonly tracks: Map<string, { readonly track: Track; readonly steps: OwnStep[] }>
}

/** @param turns in the order of `stored` */
export function newsOf(turns: readonly Turn[]): News {
  const news: News = { people: new Map(), days: new Map(), tracks: new Map() }
  const addStep = (track: Track, step: OwnStep) =>
    at(news.tracks, keys.track(track), () => ({ track, steps: [] })).steps.push(step)
  for (const turn of turns) {
    const { actor, team, build, day, activity, registration, stored, statement } = turn
    if (!team) at(news.people, actor, () => []).push(turn)
    for (const of of team ? [teamsOf(build), teamsOf(allBuilds)] : [build, allBuilds])
      at(news.days, `${actor} ${of} ${day}`, () => ({ actor, build: of, day }))
    if (registration !== null)
      addStep({ actor, activity: none, registration }, { at: turn.at, stored, mark: 0, day, build })
    const step = activity === null ? undefined : stepOf(statement, turn.at, stored)
    if (step) addStep({ actor, activity: activity!, registration: registration ?? none }, { ...step, day, build })
  }
  for (const { steps } of news.tracks.values()) steps.sort(inTime)
  return news
}

/** The first and last statement of a person. @param known undefined: there was none before */
export function seenIn(known: LearnerFact | undefined, turns: readonly Turn[]): LearnerFact {
  const { actor, at, day, build } = turns[0]!
  const learner = known
    ? { ...known }
    : { actor, firstAt: at, firstDay: day, firstBuild: build, lastAt: at, lastDay: day, lastBuild: build, ...noLevel }
  for (const { at, day, build } of turns) {
    if (at < learner.firstAt) [learner.firstAt, learner.firstDay, learner.firstBuild] = [at, day, build]
    if (at >= learner.lastAt) [learner.lastAt, learner.lastDay, learner.lastBuild] = [at, day, build]
  }
  return learner
}
const noLevel = { level: null, levelAt: 0, levelStored: 0, completed: false }

/** Their last level, after some attempts changed. */
export function lastLevelIn(learner: LearnerFact, attempts: readonly Attempt[], wholeGames: ReadonlySet<Key>): void {
  for (const { activity, steps, completed } of attempts) {
    if (activity === none || wholeGames.has(activity)) continue
    const last = steps.at(-1)!
    const place = placeOf(last)
    if (place < learner.levelAt || (place === learner.levelAt && last.stored < learner.levelStored)) continue
    Object.assign(learner, { level: activity, levelAt: place, levelStored: last.stored, completed })
  }
}

/** Attempts at the level, and completed ones, that were added and taken away. */
export function levelsIn(parted: readonly Parted[], people: ReadonlyMap<Key, unknown>): Map<string, LearnerLevel> {
  const levels = new Map<string, LearnerLevel>()
  const add = ({ actor, activity, completed }: Attempt, by: 1 | -1) => {
    if (activity === none || !people.has(actor)) return
    const level = at(levels, `${actor} ${activity}`, () => ({ actor, activity, attempts: 0, completed: 0 }))
    level.attempts += by
    if (completed) level.completed += by
  }
  for (const { gone, made } of parted) {
    for (const attempt of gone) add(attempt, -1)
    for (const attempt of made) add(attempt, 1)
  }
  return levels
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
export function newDaysIn(known: readonly number[], days: readonly ActiveDay[]): NewDay[] {
  const all = [...new Set(known)].toSorted((a, b) => a - b)
  return days.flatMap((one) => {
    const place = all.findIndex((day) => day >= one.day)
    const [previous, next] = [all.at(place < 0 ? -1 : place - 1), all[place]]
    if (next === one.day) return []
    all.splice(place < 0 ? all.length : place, 0, one.day)
    return [{ ...one, previous: place === 0 ? -1 : (previous ?? -1), next: next ?? -1 }]
  })
}

export function at<Name, Value>(map: Map<Name, Value>, name: Name, made: () => Value): Value {
  let value = map.get(name)
  if (value === undefined) map.set(name, (value = made()))
  return value
}
