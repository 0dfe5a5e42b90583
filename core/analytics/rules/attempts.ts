/**
 * What the numbers of charts, pages, RPCs and exports mean. Each word is defined here once; docs/insights.md has the
 * same sentences for readers.
 *
 * - **time of a statement**: its `timestamp`; that of arrival (`stored`) where the timestamp is later than `stored` or
 *   before the game's start.
 * - **day**: the calendar day of that time in the zone of the studio.
 * - **session**: all statements of one learner with one `context.registration`. It is on the day of its first statement
 *   and lasts until its last one; above 24 hours it has no length.
 * - **level**: an Activity with an attempt, but no question (`cmi.interaction`).
 * - **attempt**: one go at a level by one learner in one session: from a start to the next start. Where no start is
 *   sent, a second end of the same kind begins the next attempt.
 * - **first try**: the first attempt of a person at a level, in all sessions, of the statements that are kept. Teams have
 *   none.
 * - **completed**: the attempt reached its end: its last word on completion is `result.completion` true, or, without
 *   it, the verb `completed` or `passed`.
 * - **passed**, **failed**: the last word on success is `result.success`, or, without it, the verb `passed` or `failed`.
 * - **abandoned**: neither completed nor passed nor failed. An attempt under way counts here until it ends.
 * - **time of an attempt**: the first `result.duration` of its ends; without one, the time from its start to its first
 *   end. Above 24 hours there is none.
 * - **score**: the last one of its ends: `scaled`, or `raw` between `min` and `max`.
 */
import { durationMs } from '../../records/xapi/duration.ts'
import type { Activity, Score, Statement } from '../../records/xapi/types.ts'

/** What a statement says of an attempt. Each kind is one bit, so that an attempt knows which it has had. */
export const marks = { launched: 1, initialized: 2, attempted: 4, completed: 8, judged: 16, left: 32 } as const
const starts = marks.launched | marks.initialized | marks.attempted
export const ends = marks.completed | marks.judged | marks.left

/** Milliseconds. Longer attempts and sessions have no time: a device was left on, or its clock was set. */
export const longest = 24 * 60 * 60 * 1000

/** What one statement says of an attempt. */
export interface Step {
  /** Milliseconds since 1970. */
  readonly at: number
  /** `stored`, microseconds: the order of steps of the same time. */
  readonly stored: number
  /** One of `marks`. */
  readonly mark: number
  readonly completed?: boolean
  readonly success?: boolean
  /** -1 to 1. */
  readonly score?: number
  /** Milliseconds; null: it is longer than `longest`. */
  readonly millis?: number | null
}

/** An attempt, as its steps tell it. */
export interface Outcome {
  readonly marks: number
  readonly completed: boolean
  readonly success: boolean | null
  readonly score: number | null
  /** Milliseconds. */
  readonly millis: number | null
}

/** Where verbs of this meaning are defined. */
const vocabularies = [
  'http://adlnet.gov/expapi/verbs/',
  'https://w3id.org/xapi/adl/verbs/',
  'https://w3id.org/xapi/adb/verbs/',
  'https://w3id.org/xapi/seriousgames/verbs/',
  'https://rage.e-ucm.es/xapi/seriousgames/verbs/',
  'http://id.tincanapi.com/verb/',
  'http://activitystrea.ms/schema/1.0/',
]

interface Verb {
  readonly mark: number
  readonly completed?: boolean
  readonly success?: boolean
}
const words: Readonly<Record<string, Verb>> = {
  launched: { mark: marks.launched },
  initialized: { mark: marks.initialized },
  start: { mark: marks.initialized },
  started: { mark: marks.initialized },
  attempted: { mark: marks.attempted },
  completed: { mark: marks.completed, completed: true },
  complete: { mark: marks.completed, completed: true },
  passed: { mark: marks.judged, completed: true, success: true },
  failed: { mark: marks.judged, success: false },
  terminated: { mark: marks.left },
  abandoned: { mark: marks.left },
  exited: { mark: marks.left },
}
const verbs: ReadonlyMap<string, Verb> = new Map(
  vocabularies.flatMap((vocabulary) => Object.entries(words).map(([word, verb]) => [vocabulary + word, verb] as const)),
)
/** Of a statement with another verb and `result.completion`. */
const ending: Verb = { mark: marks.completed }

/** IRIs of all verbs that say something of an attempt. */
export const attemptVerbs: readonly string[] = [...verbs.keys()]

const question = 'http://adlnet.gov/expapi/activities/cmi.interaction'

/** What a statement about an Activity says of an attempt; undefined: nothing. @param at its time, milliseconds */
export function stepOf({ verb, object, result }: Statement, at: number, stored: number): Step | undefined {
  const said = verbs.get(verb.id) ?? (result?.completion === true ? ending : undefined)
  if (said === undefined || (object as Activity).definition?.type === question) return undefined
  if ((said.mark & starts) !== 0) return { at, stored, mark: said.mark }
  return {
    at,
    stored,
    mark: said.mark,
    completed: result?.completion ?? said.completed,
    success: result?.success ?? said.success,
    score: scaledOf(result?.score),
    millis: result?.duration === undefined ? undefined : (durationMs(result.duration, longest) ?? null),
  }
}

/** From raw, min and max if it is not given. */
function scaledOf(score: Score | undefined): number | undefined {
  if (score?.scaled !== undefined) return score.scaled
  const { raw, min, max } = score ?? {}
  if (raw === undefined || min === undefined || max === undefined || !(max > min)) return undefined
  const scaled = (raw - min) / (max - min)
  return scaled >= 0 && scaled <= 1 ? scaled : undefined
}

/** Steps happened in this order, in whatever order they arrived: at the same time, starts come before ends. */
export const inTime = (one: Step, other: Step): number =>
  one.at - other.at || Number(isEnd(one)) - Number(isEnd(other)) || one.stored - other.stored
const isEnd = ({ mark }: Step): boolean => (mark & ends) !== 0

/** Whether a step begins the next attempt. @param before marks of the attempt until then */
export const begins = (before: number, { mark }: Pick<Step, 'mark'>): boolean =>
  (before & mark) !== 0 || ((mark & starts) !== 0 && (before & ends) !== 0)

/** The attempts of one learner at one level in one session. @param steps in time */
export function attemptsOf<Of extends Step>(steps: readonly Of[]): Of[][] {
  const attempts: Of[][] = []
  let had = 0
  for (const step of steps) {
    if (attempts.length === 0 || begins(had, step)) {
      attempts.push([])
      had = 0
    }
    attempts.at(-1)!.push(step)
    had |= step.mark
  }
  return attempts
}

/** @param steps of one attempt, in time */
export function outcomeOf(steps: readonly Step[]): Outcome {
  let had = 0
  let [completed, success, score]: [boolean?, boolean?, number?] = []
  let [start, end, stated]: [number?, number?, (number | null)?] = []
  for (const step of steps) {
    had |= step.mark
    completed = step.completed ?? completed
    success = step.success ?? success
    score = step.score ?? score
    if (!isEnd(step)) start ??= step.at
    else {
      end ??= step.at
      if (stated === undefined) stated = step.millis
    }
  }
  const between = start === undefined || end === undefined ? null : within(end - start)
  return {
    marks: had,
    completed: completed ?? false,
    success: success ?? null,
    score: score ?? null,
    millis: stated === undefined ? between : stated,
  }
}

/** A time that counts; null: it is too long, or below 0. */
export const within = (millis: number): number | null => (millis >= 0 && millis <= longest ? millis : null)

export const isAbandoned = ({ completed, success }: Pick<Outcome, 'completed' | 'success'>): boolean =>
  !completed && success === null

/** An attempt does a level if it was passed, or completed without saying whether it was passed. */
export const does = ({ completed, success }: Pick<Outcome, 'completed' | 'success'>): boolean => success ?? completed

/** Types of the whole game; `answers_help` leaves it out by the same rule. */
export const gameTypes = new Set([
  'https://w3id.org/xapi/seriousgames/activity-types/serious-game',
  'https://w3id.org/xapi/seriousgames/activity-types/game',
  'https://rage.e-ucm.es/xapi/seriousgames/activities/serious-game',
  'https://rage.e-ucm.es/xapi/seriousgames/activities/game',
  'http://activitystrea.ms/schema/1.0/game',
  'http://curatr3.com/define/type/serious-game',
])

/**
 * Whether an Activity is the game itself, which contains the levels: by its type or its IRI; one without a type, if
 * levels name it as their parent or grouping.
 * @param gameId UUID, with which the IRI of a game ends
 */
export const isWholeGame = (iri: string, type: string, contains: boolean, gameId: string): boolean =>
  gameTypes.has(type) || iri.endsWith(`/games/${gameId}`) || (type === '' && contains)

/** IRIs of the Activities that a statement names as containing its object. */
export const containersOf = ({ context }: Statement): string[] =>
  [context?.contextActivities?.parent, context?.contextActivities?.grouping]
    .flat()
    .flatMap((activity) => (activity === undefined ? [] : [activity.id]))
