import { boards, stuckAfter } from '../../../shared/limits.ts'
import type { LanguageMap } from '../../records/xapi/types.ts'
import { does, ends } from './attempts.ts'
import type { Played } from './learner-levels.ts'

/** A level that some pupils have begun. */
export interface Level {
  readonly activityId: string
  /** JSON of a language map; empty: none. */
  readonly name: string
}

/** What a pupil has done at a level. */
export interface Cell {
  readonly tries: number
  readonly passed: boolean
  /** A try was failed, and none was passed. */
  readonly failed: boolean
  readonly completed: boolean
  readonly done: boolean
}

/** What a pupil did in a lesson; `here`: its page or game has sent something in the last minute. */
export interface OnBoard {
  readonly played: readonly Played[]
  readonly here: boolean
}

export interface BoardRow {
  readonly cells: readonly (Cell & { readonly now: boolean })[]
  readonly stuckAt?: number
  readonly stuckSeconds: number
}

/** Levels in the order in which they were first begun. Where there are too many, those of the most pupils. */
export function levelsBegun(pupils: readonly (readonly Played[])[]): Level[] {
  const all = pupils.flat()
  // statements of another pupil may show that an Activity contains others
  const wholeGame = new Set(all.filter((one) => one.wholeGame).map(({ activityId }) => activityId))
  const begun = new Map<string, { stored: number; name: LanguageMap | undefined; pupils: number }>()
  for (const one of all) {
    if (wholeGame.has(one.activityId)) continue
    const before = begun.get(one.activityId)
    const stored = Math.min(begunAt(one), before?.stored ?? Infinity)
    // each pupil has each level once
    begun.set(one.activityId, { stored, name: one.name ?? before?.name, pupils: (before?.pupils ?? 0) + 1 })
  }
  return [...begun]
    .toSorted(([, one], [, other]) => other.pupils - one.pupils || one.stored - other.stored)
    .slice(0, boards.levels)
    .toSorted(([, one], [, other]) => one.stored - other.stored)
    .map(([activityId, { name }]) => ({ activityId, name: name === undefined ? '' : JSON.stringify(name) }))
}

/** @param now microseconds */
export function boardOf(pupils: readonly OnBoard[], now: number): { levels: Level[]; rows: BoardRow[] } {
  const levels = levelsBegun(pupils.map(({ played }) => played))
  const rows = pupils.map(({ played, here }) => {
    const own = levels.map(({ activityId }) => played.find((one) => one.activityId === activityId))
    const latest = own.reduce((one, other) => (!one || (other && heard(other) > heard(one)) ? other : one), undefined)
    const at = here && latest ? own.indexOf(latest) : -1
    const since = at < 0 ? undefined : stuckSince(latest!, now)
    return {
      cells: own.map((one, n) => ({ ...cellOf(one), now: n === at })),
      ...(since !== undefined && { stuckAt: at }),
      stuckSeconds: since === undefined ? 0 : Math.floor((now - since) / 1e6),
    }
  })
  return { levels, rows }
}

export const cellOf = ({ attempts }: Pick<Played, 'attempts'> = { attempts: [] }): Cell => {
  const passed = attempts.some(({ success }) => success === true)
  return {
    tries: attempts.length,
    passed,
    failed: !passed && attempts.some(({ success }) => success === false),
    completed: attempts.some(({ completed }) => completed),
    done: attempts.some(does),
  }
}

/**
 * Whether a pupil needs help with a level: it has not done it, and has ended `stuckAfter.tries` tries there. A try has
 * ended when the game said so, or when the next one began.
 */
export const needsHelp = (level: Played): boolean => lastVainTry(level) !== undefined

/** Since when a pupil is stuck at a level: it needs help, or began the level `stuckAfter.minutes` ago. Microseconds. */
function stuckSince(level: Played, now: number): number | undefined {
  if (level.attempts.some(does)) return undefined
  const tried = lastVainTry(level)?.steps.at(-1)!.stored ?? Infinity
  const since = Math.min(tried, begunAt(level) + stuckAfter.minutes * 60e6)
  return since <= now ? since : undefined
}

/** The try after which a pupil needs help. */
function lastVainTry({ attempts }: Played): Played['attempts'][number] | undefined {
  if (attempts.some(does)) return undefined
  return attempts.filter(({ marks }, n) => (marks & ends) !== 0 || n < attempts.length - 1)[stuckAfter.tries - 1]
}

// by arrival: clocks of devices differ
const times = ({ attempts }: Played): number[] => attempts.flatMap(({ steps }) => steps.map(({ stored }) => stored))
const begunAt = (level: Played): number => Math.min(...times(level))
const heard = (level: Played): number => Math.max(...times(level))
