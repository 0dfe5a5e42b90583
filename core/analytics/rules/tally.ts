import type { Activity, Statement } from '../../records/xapi/types.ts'
import { storable } from '../../process/rules/storable.ts'
import type { Countable, Turn } from './turn.ts'

export interface ActivityTally {
  readonly day: string
  readonly activity: string
  completions: number
  passed: number
  failed: number
  scoreSum: number
  /** Scaled scores below 0.1, 0.2 … and up to 1. */
  readonly scores: number[]
}

/** What some statements add to the tallies of their game. */
export interface Tallies {
  readonly verbs: { readonly day: string; readonly verb: string; statements: number }[]
  readonly activities: ActivityTally[]
  readonly learners: { readonly day: string; readonly actor: string }[]
  readonly sessions: { readonly day: string; readonly registration: string }[]
  readonly names: { readonly key: string; readonly iri: string; name: string; type: string }[]
}

export const scoreBins = 10

const adl = 'http://adlnet.gov/expapi/verbs/'

/**
 * Counts statements in their order. The day is that of `stored` in UTC, so the clock of a learner's device does not
 * matter. A voiding statement takes the voided one off the count of that statement's day; the learner still counts as
 * active.
 */
export function tally(turns: readonly Turn[]): Tallies {
  const verbs = new Map<string, Tallies['verbs'][number]>()
  const activities = new Map<string, ActivityTally>()
  const learners = new Map<string, Tallies['learners'][number]>()
  const sessions = new Map<string, Tallies['sessions'][number]>()
  const names = new Map<string, Tallies['names'][number]>()

  function name(key: string, iri: unknown, texts: unknown, type: unknown = ''): void {
    const known = at(names, key, () => ({ key, iri: storable(String(iri), 2_000), name: '', type: '' }))
    known.name = textIn(texts) || known.name
    known.type = (typeof type === 'string' && storable(type, 2_000)) || known.type
  }

  function count({ stored, verb, activity, statement }: Countable, by: 1 | -1): void {
    const day = dayOf(stored)
    at(verbs, `${day} ${verb}`, () => ({ day, verb, statements: 0 })).statements += by
    const outcome = activity === null ? undefined : outcomeOf(statement)
    if (!outcome) return
    const empty = (): ActivityTally => ({
      day,
      activity: activity!,
      completions: 0,
      passed: 0,
      failed: 0,
      scoreSum: 0,
      scores: Array<number>(scoreBins).fill(0),
    })
    const sums = at(activities, `${day} ${activity}`, empty)
    if (outcome.completed) sums.completions += by
    if (outcome.success === true) sums.passed += by
    if (outcome.success === false) sums.failed += by
    if (outcome.scaled === undefined) return
    sums.scoreSum += by * outcome.scaled
    sums.scores[binOf(outcome.scaled)]! += by
  }

  for (const turn of turns) {
    if (turn.voids) count(turn.voids, -1)
    if (turn.retracted) continue
    const { stored, actor, registration, verb, activity, statement } = turn
    const day = dayOf(stored)
    count(turn, 1)
    at(learners, `${day} ${actor}`, () => ({ day, actor }))
    if (registration !== null) at(sessions, `${day} ${registration}`, () => ({ day, registration }))
    name(verb, statement.verb.id, statement.verb.display)
    if (activity === null) continue
    const { id, definition } = statement.object as Activity
    name(activity, id, definition?.name, definition?.type)
  }
  const all = <T>(map: Map<string, T>) => Array.from(map.values())
  return {
    verbs: all(verbs),
    activities: all(activities),
    learners: all(learners),
    sessions: all(sessions),
    names: all(names),
  }
}

/** How an attempt ended; undefined: it tells nothing of that. */
function outcomeOf({
  verb,
  result,
}: Statement): { completed: boolean; success?: boolean; scaled?: number } | undefined {
  const completed = result?.completion ?? verb.id === `${adl}completed`
  const success =
    result?.success ?? (verb.id === `${adl}passed` ? true : verb.id === `${adl}failed` ? false : undefined)
  const scaled = result?.score?.scaled
  return completed || success !== undefined || scaled !== undefined ? { completed, success, scaled } : undefined
}

const binOf = (scaled: number): number => Math.min(scoreBins - 1, Math.max(0, Math.floor(scaled * scoreBins)))

/** The last one: most statements are of the same day, and writing it takes longer than all else. */
let known = { day: -1, name: '' }

function dayOf(stored: number): string {
  const day = Math.floor(stored / 86_400_000_000)
  if (known.day !== day) known = { day, name: new Date(day * 86_400_000).toISOString().slice(0, 10) }
  return known.name
}

/** The English text of a language map, else its first one. */
export function textIn(texts: unknown): string {
  if (typeof texts !== 'object' || texts === null) return ''
  const entries = Object.entries(texts)
  const [, text] = entries.find(([tag]) => /^en\b/i.test(tag)) ?? entries[0] ?? []
  return typeof text === 'string' ? storable(text, 200) : ''
}

function at<T>(map: Map<string, T>, key: string, empty: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = empty()))
  return value
}
