import type { Key } from '../../../records/xapi/identify.ts'
import { attemptsOf, inTime, outcomeOf, within } from '../attempts.ts'
import { positionOf, type OwnStep } from './steps.ts'

/** In place of an Activity: sessions; in place of a registration: none. */
export const none = '00000000-0000-0000-0000-000000000000'

/** Attempts of one learner at one level in one session; a session has `none` as its Activity. */
export interface Track {
  readonly actor: Key
  readonly activity: Key
  readonly registration: string
}

/** An attempt, or a session: the steps of that are its first and its last statement. */
export interface Attempt extends Track {
  /** Place and `stored` of its first step; 0: a session. */
  readonly began: number
  readonly stored: number
  readonly steps: readonly OwnStep[]
  /** Those of its first step. */
  readonly day: number
  readonly build: number
  /** Milliseconds. */
  readonly millis: number | null
  readonly score: number | null
  readonly completed: boolean
  readonly success: boolean | null
  /** Where its row is; undefined: there is none yet. */
  readonly place?: string
}

/** Attempts that are no more, and those that are there in their place. */
export interface Parted {
  readonly gone: readonly Attempt[]
  readonly made: readonly Attempt[]
}

/**
 * Adds steps to the attempts of a track.
 * @param rows in time, from the last one that began at or before the first of the steps
 * @param steps in time
 * @param isWhole no other row follows
 * @returns undefined: it also depends on the rows that follow
 */
export function partition(
  track: Track,
  rows: readonly Attempt[],
  steps: readonly OwnStep[],
  isWhole: boolean,
): Parted | undefined {
  const places = new Map(rows.map(({ stored }, n) => [stored, n]))
  const attempts = attemptsOf([...rows.flatMap((row) => row.steps), ...steps].toSorted(inTime))
  const last = steps.at(-1)!
  // after the last new step, all stays as it was from the first attempt on that begins where one began
  const same = attempts.findIndex(([first]) => inTime(first!, last) > 0 && places.has(first!.stored))
  if (same < 0 && !isWhole) return undefined
  const before = same < 0 ? rows : rows.slice(0, places.get(attempts[same]![0]!.stored))
  return changedOf(
    before,
    (same < 0 ? attempts : attempts.slice(0, same)).map((own) => attemptOf(track, own)),
  )
}

/** Adds statements to a session. @param rows none or one */
export function lengthen(track: Track, rows: readonly Attempt[], steps: readonly OwnStep[]): Parted {
  const known = [...(rows[0]?.steps ?? []), ...steps]
  const first = known.reduce((one, other) => (other.at < one.at ? other : one))
  const last = known.reduce((one, other) => (other.at >= one.at ? other : one))
  const { day, build } = first
  const millis = within(last.at - first.at)
  const session = { ...track, began: 0, stored: 0, day, build, millis, score: null, completed: false, success: null }
  return changedOf(rows, [{ ...session, steps: [first, last] }])
}

function attemptOf(track: Track, steps: readonly OwnStep[]): Attempt {
  const first = steps[0]!
  const { completed, success, score, millis } = outcomeOf(steps)
  const { day, build, stored } = first
  return { ...track, began: positionOf(first), stored, steps, day, build, completed, success, score, millis }
}

function changedOf(before: readonly Attempt[], after: readonly Attempt[]): Parted {
  const kept = new Set<number>()
  const made = after.flatMap((attempt) => {
    const was = before.find(({ stored }) => stored === attempt.stored)
    if (!was) return [attempt]
    if (was.steps.length !== attempt.steps.length) return [{ ...attempt, place: was.place }]
    if (was.steps.some(({ stored }, n) => stored !== attempt.steps[n]!.stored))
      return [{ ...attempt, place: was.place }]
    kept.add(was.stored)
    return []
  })
  return { gone: before.filter(({ stored }) => !kept.has(stored)), made }
}
