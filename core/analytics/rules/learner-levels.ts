import { parse } from '../../records/xapi/json.ts'
import type { Activity, Statement } from '../../records/xapi/types.ts'

/** What a learner did in one level. */
export interface LearnerLevel {
  readonly activityId: string
  /** JSON of a language map; empty: none. */
  name: string
  attempts: number
  completed: number
  failed: number
  best?: number
  lastScore?: number
  /** Durations of the ended attempts. */
  seconds: number
  /** Microseconds. */
  last: number
}

const starts = new Set(['initialized', 'attempted', 'launched', 'resumed'])
const done = new Set(['completed', 'passed', 'mastered'])
const ends = new Set([...done, 'failed', 'terminated', 'exited', 'abandoned', 'suspended'])
const known = /^https?:\/\/(?:adlnet\.gov\/expapi|w3id\.org\/xapi\/ad[bl])\/verbs\/([a-z-]+)$/

/** Of the verbs of the profiles that everybody uses, such as `completed`; empty: another verb. */
export const verbName = (iri: string): string => known.exec(iri)?.[1] ?? ''

/**
 * Levels, the last played first. An attempt begins with initialized, attempted or launched and ends with completed,
 * passed or failed; one that began and did not end counts, too. Several ends of one attempt are one.
 * @param statements of one learner, the oldest first
 */
export function levelsOf(statements: readonly { stored: number; voided: boolean; body: string }[]): LearnerLevel[] {
  const levels = new Map<string, LearnerLevel>()
  /** Verbs of the attempt that is under way, by level and session. */
  const open = new Map<string, Set<string>>()
  for (const { stored, voided, body } of statements) {
    if (voided) continue
    const { verb, object, result, context } = parse(body) as Statement
    const said = verbName(verb.id)
    const isEnd = ends.has(said) || result?.completion === true
    if ((object.objectType ?? 'Activity') !== 'Activity' || !(starts.has(said) || isEnd)) continue
    const { id, definition } = object as Activity
    if (definition?.type === 'http://adlnet.gov/expapi/activities/cmi.interaction') continue
    const level = levels.get(id) ?? {
      activityId: id,
      name: '',
      attempts: 0,
      completed: 0,
      failed: 0,
      seconds: 0,
      last: 0,
    }
    levels.delete(id)
    levels.set(id, level)
    level.last = stored
    if (definition?.name !== undefined) level.name = JSON.stringify(definition.name)
    const place = `${context?.registration ?? ''} ${id}`
    const before = open.get(place)
    const isNew = before === undefined || before.has(said) || (starts.has(said) && said !== 'resumed' && hasEnd(before))
    const attempt = isNew ? new Set<string>() : before
    open.set(place, attempt)
    if (isNew) level.attempts++
    const was = { done: isDone(attempt), failed: attempt.has('failed') }
    attempt.add(result?.completion === true && !done.has(said) ? 'completion' : said)
    if (!was.done && isDone(attempt)) level.completed++
    if (!was.failed && said === 'failed') level.failed++
    level.seconds += isEnd ? secondsOf(result?.duration) : 0
    const score = result?.score?.scaled
    if (score === undefined) continue
    level.lastScore = score
    level.best = Math.max(score, level.best ?? score)
  }
  return [...levels.values()].toReversed()
}

const isDone = (verbs: ReadonlySet<string>): boolean =>
  verbs.has('completion') || verbs.values().some((verb) => done.has(verb))
const hasEnd = (verbs: ReadonlySet<string>): boolean =>
  verbs.has('completion') || verbs.values().some((verb) => ends.has(verb))

/** 0: none, one with years and months, whose length nobody knows, or one beyond all numbers. */
export function secondsOf(duration: string | undefined): number {
  const [found, ...parts] =
    /^P(?:([\d.,]+)W)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/.exec(duration ?? '') ?? []
  if (found === undefined) return 0
  const [weeks, days, hours, minutes, seconds] = parts.map((part) => Number((part ?? '0').replace(',', '.')) || 0)
  const length = (((weeks! * 7 + days!) * 24 + hours!) * 60 + minutes!) * 60 + seconds!
  return Number.isFinite(length) ? length : 0
}
