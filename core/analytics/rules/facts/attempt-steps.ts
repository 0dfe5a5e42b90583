import { durationMs } from '../../../records/xapi/duration.ts'
import type { Activity, Score, Statement } from '../../../records/xapi/types.ts'

/** What a statement says of an attempt. Each kind is one bit, so that an attempt knows which it has had. */
export const marks = { launched: 1, initialized: 2, attempted: 4, completed: 8, judged: 16, left: 32 } as const
export const starts = marks.launched | marks.initialized | marks.attempted
export const ends = marks.completed | marks.judged | marks.left
/** Its time is that of a `result.duration`. */
export const stated = 64

/** Longer attempts and sessions have no time: a device was left on, or its clock was set. */
export const longest = 24 * 60 * 60 * 1000

export interface AttemptStep {
  readonly mark: number
  /** The Activity is the game itself, which contains the levels. */
  readonly wholeGame: boolean
  readonly completed: boolean
  readonly success?: boolean
  readonly score?: number
  /** Milliseconds. */
  readonly duration?: number
}

/** Where verbs of this meaning are defined. */
const vocabularies = [
  'http://adlnet.gov/expapi/verbs/',
  'https://w3id.org/xapi/adl/verbs/',
  'https://w3id.org/xapi/adb/verbs/',
  'https://w3id.org/xapi/seriousgames/verbs/',
  'http://id.tincanapi.com/verb/',
  'http://activitystrea.ms/schema/1.0/',
]
const words: Readonly<Record<string, number>> = {
  launched: marks.launched,
  initialized: marks.initialized,
  start: marks.initialized,
  attempted: marks.attempted,
  completed: marks.completed,
  complete: marks.completed,
  passed: marks.judged,
  failed: marks.judged,
  terminated: marks.left,
  abandoned: marks.left,
  exited: marks.left,
}
const markOfVerb = new Map(
  vocabularies.flatMap((vocabulary) => Object.entries(words).map(([word, mark]) => [vocabulary + word, mark] as const)),
)
const wordOf = (verb: string): string => verb.slice(verb.lastIndexOf('/') + 1)

const question = 'http://adlnet.gov/expapi/activities/cmi.interaction'
const games = new Set([
  'https://w3id.org/xapi/seriousgames/activity-types/serious-game',
  'https://w3id.org/xapi/seriousgames/activity-types/game',
  'http://activitystrea.ms/schema/1.0/game',
])

/** Whether an Activity is the game itself. @param gameId UUID, with which its IRI ends */
export const isWholeGame = (iri: string, type: string, gameId: string): boolean =>
  games.has(type) || iri.endsWith(`/games/${gameId}`)

/** What a statement says of an attempt at its object; undefined: nothing. */
export function attemptStep({ verb, object, result }: Statement, gameId: string): AttemptStep | undefined {
  const { id, definition } = object as Activity
  const ofVerb = markOfVerb.get(verb.id)
  const mark = ofVerb ?? (result?.completion === true ? marks.completed : undefined)
  if (mark === undefined || definition?.type === question) return undefined
  const wholeGame = isWholeGame(id, definition?.type ?? '', gameId)
  if ((mark & starts) !== 0) return { mark, wholeGame, completed: false }
  const word = ofVerb === undefined ? '' : wordOf(verb.id)
  const success = result?.success ?? (word === 'passed' ? true : word === 'failed' ? false : undefined)
  const completed = success === true || (result?.completion ?? (mark === marks.completed && ofVerb !== undefined))
  return {
    mark,
    wholeGame,
    completed,
    success,
    score: scaledOf(result?.score),
    duration: result?.duration === undefined ? undefined : durationMs(result.duration, longest),
  }
}

/** -1 to 1, from raw, min and max if it is not given. */
function scaledOf(score: Score | undefined): number | undefined {
  if (score?.scaled !== undefined) return score.scaled
  const { raw, min, max } = score ?? {}
  if (raw === undefined || min === undefined || max === undefined || !(max > min)) return undefined
  const scaled = (raw - min) / (max - min)
  return scaled >= 0 && scaled <= 1 ? scaled : undefined
}
