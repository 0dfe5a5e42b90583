import { progressOf, playVerb } from '../../records/xapi/serious-games.ts'
import type { Activity, ActivityDefinition, Result, Statement } from '../../records/xapi/types.ts'
import { storable } from '../../process/rules/storable.ts'
import { textIn } from './text-in.ts'

/** What players do with things of a game, as it is counted; stored as these numbers. */
export const kinds = {
  progressed: 1,
  accessed: 2,
  skipped: 3,
  chosen: 4,
  unlocked: 5,
  interacted: 6,
  used: 7,
} as const
export type Kind = (typeof kinds)[keyof typeof kinds]

/** An option of an alternative, or an answer to a question. */
export interface Choice {
  /** The response; undefined: there is none, or it is too free to be counted by itself. */
  readonly response?: string
  /** What the choices of the question call it. */
  readonly name: string
  /** There is a response, whether it is counted by itself or not. */
  readonly given: boolean
  /** Right or wrong; undefined: neither the result nor the definition says. */
  readonly right?: boolean
}

/** What one statement tells of a thing of the game. */
export interface Play {
  readonly kind: Kind
  /** 0 to 1; only of `progressed`. */
  readonly progress?: number
  /** Only of `chosen` and `unlocked`. */
  readonly choice?: Choice
}

const longestText = 200
const between = '[,]'

/**
 * @param statement has an Activity as its object
 * @returns undefined: it tells nothing that is counted
 */
export function playOf({ verb, object, result }: Statement): Play | undefined {
  const { definition } = object as Activity
  const does = playVerb(verb.id)
  switch (does) {
    case 'progressed': {
      const progress = progressOf(result)
      if (typeof progress !== 'number' || !(progress >= 0 && progress <= 1)) return undefined
      return { kind: kinds.progressed, progress }
    }
    case 'accessed':
    case 'skipped':
    case 'interacted':
    case 'used':
      return { kind: kinds[does] }
    case 'selected':
    case 'answered':
      return { kind: kinds.chosen, choice: choiceOf(definition, result) }
    case 'unlocked':
      return { kind: kinds.unlocked, choice: { ...choiceOf(definition, result), right: undefined } }
    default:
      return undefined
  }
}

function choiceOf(definition: ActivityDefinition = {}, result: Result = {}): Choice {
  const { response = '', success } = result
  // a long text that a player wrote is no option, and may name people
  const isFree = definition.interactionType === 'long-fill-in'
  return {
    response: response === '' || isFree ? undefined : storable(response, longestText),
    name: storable(nameOf(definition, response), longestText),
    given: response !== '',
    right: success ?? (response === '' ? undefined : isRight(definition, response)),
  }
}

/** What the definition says of a response. Only choices and true or false can be compared as they are. */
function isRight({ interactionType, correctResponsesPattern: patterns = [] }: ActivityDefinition, response: string) {
  if (patterns.length === 0) return undefined
  if (interactionType === 'true-false') return patterns.includes(response)
  if (interactionType !== 'choice') return undefined
  const given = sorted(response)
  return patterns.some((pattern) => sorted(pattern) === given)
}

/** The order in which choices are named does not matter. */
const sorted = (response: string): string => [...new Set(response.split(between))].sort().join(between)

/** For instance `Paris, Rome`; empty unless every part of the response is a choice with a description. */
function nameOf({ choices = [] }: ActivityDefinition, response: string): string {
  if (choices.length === 0 || response === '') return ''
  const texts = new Map(choices.map(({ id, description }) => [id, textIn(description)]))
  const names = response.split(between).map((id) => texts.get(id) ?? '')
  return names.includes('') ? '' : names.join(', ')
}
