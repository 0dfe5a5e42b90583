import { activityKey, type Key } from '../../records/xapi/identify.ts'
import { storable } from '../../process/rules/storable.ts'
import { textIn } from './text-in.ts'
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
 * Counts statements. A voiding statement takes the voided one off the count of its own day.
 * @param turns in the order of `stored`
 * @param removed statements that were counted before, to be taken off
 */
export function tally(turns: readonly Turn[], removed: readonly Countable[] = []): Tallies {
  const verbs = new Map<string, Tallies['verbs'][number]>()
  const activities = new Map<string, ActivityTally>()
  const known = new Map<Key, Named>()
  const containers = new Map<string, Key>()

  /** Of several names and types the latest counts, which comes first. */
  function name(key: Key, iri: unknown, texts?: unknown, type?: unknown): Named {
    const named = at(known, key, () => ({
      key,
      iri: storable(String(iri), 2_000),
      name: '',
      type: '',
      contains: false,
    }))
    if (named.name === '') named.name = textIn(texts)
    if (named.type === '' && typeof type === 'string') named.type = storable(type, 2_000)
    return named
  }

  function count({ day: number, verb, activity, step, scaled }: Countable, by: 1 | -1): void {
    const day = nameOfDay(number)
    at(verbs, day + verb, () => ({ day, verb, statements: 0 })).statements += by
    const { completed = false, success } = step ?? {}
    if (!completed && success === undefined && scaled === undefined) return
    const empty = (): ActivityTally => ({
      day,
      activity: activity!,
      completions: 0,
      passed: 0,
      failed: 0,
      scoreSum: 0,
      scores: Array<number>(scoreBins).fill(0),
    })
    const sums = at(activities, day + activity, empty)
    if (completed) sums.completions += by
    if (success === true) sums.passed += by
    if (success === false) sums.failed += by
    if (scaled === undefined) return
    sums.scoreSum += by * scaled
    sums.scores[binOf(scaled)]! += by
  }

  for (const one of removed) count(one, -1)
  for (const turn of turns.toReversed()) {
    if (turn.voids) count(turn.voids, -1)
    if (turn.retracted) continue
    count(turn, 1)
    const { verb, verbIri, verbNames, activity, iri, names, type } = turn
    name(verb, verbIri, verbNames)
    if (activity === null) continue
    name(activity, iri, names, type)
    for (const one of turn.containers)
      if (one !== iri)
        name(
          at(containers, one, () => hyphened(activityKey(one))),
          one,
        ).contains = true
  }
  return { verbs: [...verbs.values()], activities: [...activities.values()], names: [...known.values()] }
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

function at<T>(map: Map<string, T>, key: string, empty: () => T): T {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = empty()))
  return value
}
