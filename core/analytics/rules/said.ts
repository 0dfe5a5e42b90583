import type { Activity, LanguageMap, Statement } from '../../records/xapi/types.ts'
import { containersOf, stepOf, type Step } from './attempts.ts'
import { playOf, type Play } from './plays.ts'

/** What of a statement counts. Its JSON is many times larger, and thousands of statements are counted at once. */
export interface Said {
  /** Of an attempt. */
  readonly step: Step | undefined
  /** Of a thing of the game. */
  readonly play: Play | undefined
  readonly scaled: number | undefined
  readonly revision: string | undefined
  readonly verbIri: string
  readonly verbNames: LanguageMap | undefined
  /** Of the Activity. */
  readonly iri: string
  readonly names: LanguageMap | undefined
  readonly type: string | undefined
  /** IRIs of Activities that a step names as containing its own. */
  readonly containers: readonly string[]
}

/** @param at its time, milliseconds @param isOfActivity its object is an Activity */
export function saidOf(statement: Statement, at: number, stored: number, isOfActivity: boolean): Said {
  const { verb, object, result, context } = statement
  const { id, definition } = object as Activity
  const step = isOfActivity ? stepOf(statement, at, stored) : undefined
  return {
    step,
    play: isOfActivity ? playOf(statement) : undefined,
    scaled: isOfActivity ? result?.score?.scaled : undefined,
    revision: context?.revision,
    verbIri: verb.id,
    verbNames: verb.display,
    iri: id,
    names: definition?.name,
    type: definition?.type,
    containers: step ? containersOf(statement) : [],
  }
}
