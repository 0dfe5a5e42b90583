import type { Activity, Statement } from '../../records/xapi/types.ts'
import { activityKey, type Key } from '../../records/xapi/identify.ts'
import { storable } from '../../process/rules/storable.ts'
import { containersOf, stepOf } from './attempts.ts'
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
  readonly names: Named[]
}

/** A verb or an Activity, as statements tell of it. */
export interface Named {
  readonly key: Key
  readonly iri: string
  name: string
  type: string
  /** A statement names it as the parent or grouping of its object. */
  contains: boolean
}

export const scoreBins = 10

/**
 * Counts statements in their order. A voiding statement takes the voided one off the count of its own day.
 * @param removed statements that were counted before, to be taken off
 */
export function tally(turns: readonly Turn[], removed: readonly Countable[] = []): Tallies {
  const verbs = new Map<string, Tallies['verbs'][number]>()
  const activities = new Map<string, ActivityTally>()
  const names = new Map<string, Named>()

  function name(key: Key, iri: unknown, texts?: unknown, type: unknown = '', contains = false): void {
    const empty = () => ({ key, iri: storable(String(iri), 2_000), name: '', type: '', contains })
    const known = at(names, key, empty)
    known.contains ||= contains
    known.name = textIn(texts) || known.name
    known.type = (typeof type === 'string' && storable(type, 2_000)) || known.type
  }

  function count({ verb, activity, statement, ...one }: Countable, by: 1 | -1): void {
    const day = nameOfDay(one.day)
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

  for (const one of removed) count(one, -1)
  for (const turn of turns) {
    if (turn.voids) count(turn.voids, -1)
    if (turn.retracted) continue
    const { verb, activity, statement } = turn
    count(turn, 1)
    name(verb, statement.verb.id, statement.verb.display)
    if (activity === null) continue
    const { id, definition } = statement.object as Activity
    name(activity, id, definition?.name, definition?.type)
    if (!stepOf(statement, 0, 0)) continue
    for (const iri of containersOf(statement))
      if (iri !== id) name(hyphened(activityKey(iri)), iri, undefined, '', true)
  }
  const all = <T>(map: Map<string, T>) => Array.from(map.values())
  return {
    verbs: all(verbs),
    activities: all(activities),
    names: all(names),
  }
}

/** What a statement says of an attempt, and its score; undefined: nothing of both. */
function outcomeOf(statement: Statement): { completed: boolean; success?: boolean; scaled?: number } | undefined {
  const { completed = false, success } = stepOf(statement, 0, 0) ?? {}
  const scaled = statement.result?.score?.scaled
  return completed || success !== undefined || scaled !== undefined ? { completed, success, scaled } : undefined
}

const binOf = (scaled: number): number => Math.min(scoreBins - 1, Math.max(0, Math.floor(scaled * scoreBins)))

/** The last one: most statements are of the same day, and writing it takes longer than all else. */
let known = { day: -1, name: '' }

function nameOfDay(day: number): string {
  if (known.day !== day) known = { day, name: new Date(day * 86_400_000).toISOString().slice(0, 10) }
  return known.name
}

/** As Postgres writes keys. */
const hyphened = (key: Key): Key => key.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

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
