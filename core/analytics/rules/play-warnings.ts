import {
  progressOf,
  extensions,
  familyOf,
  familyOfThing,
  isOwnType,
  isOwnVerb,
  isProfile,
  playType,
  playVerb,
  typesOf,
  type PlayVerb,
} from '../../records/xapi/serious-games.ts'
import type { Activity, ActivityDefinition, Statement } from '../../records/xapi/types.ts'
import { excerpt } from '../../process/rules/text.ts'
import { textIn } from './text-in.ts'

/** A rule of the serious-games profile that a statement breaks, and what to do. */
export interface PlayWarning {
  readonly rule: string
  readonly text: string
}

/** What the session has sent of a thing before. */
interface Past {
  /** Started and not completed. */
  running: boolean
  accessed: boolean
  progress: number | undefined
}

const longestName = 80

/**
 * What is wrong with each of some statements of one learner, in their order.
 * @param isWhole they begin with the session; otherwise nothing is said of what may have been before
 */
export function playWarnings(statements: readonly Statement[], isWhole: boolean): PlayWarning[][] {
  const things = new Map<string, Past>()
  return statements.map((statement) => {
    const verb = playVerb(statement.verb.id)
    const { id, objectType, definition = {} } = statement.object as Activity
    if (verb === undefined || (objectType ?? 'Activity') !== 'Activity') return []
    const before = things.get(id)
    const past = before ?? { running: false, accessed: false, progress: undefined }
    const known = isWhole || before !== undefined
    const name = `“${excerpt(textIn(definition.name) || id, longestName)}”`
    const found = [...ofSequence(verb, past, known, name, statement), ...ofContent(verb, statement)]
    things.set(id, after(verb, past, statement))
    return isOfProfile(statement) ? [...found, ...ofType(verb, definition, name)] : []
  })
}

/** ADL's verbs have other uses, so the verb alone does not tell. */
function isOfProfile({ verb, object, context }: Statement): boolean {
  const category = [context?.contextActivities?.category ?? []].flat()
  const { type } = (object as Activity).definition ?? {}
  return isOwnVerb(verb.id) || isOwnType(type) || category.some(({ id }) => isProfile(id))
}

function* ofSequence(
  verb: PlayVerb,
  { running, accessed, progress }: Past,
  isKnown: boolean,
  name: string,
  { result }: Statement,
): Generator<PlayWarning> {
  if (verb === 'initialized' && running)
    yield warning(
      'restart-before-end',
      `${name} is started again before it has ended. Send “completed” first, with result.success false if the ` +
        `player gave up.`,
    )
  if (verb === 'completed' && !running && isKnown)
    yield warning(
      'completed-without-start',
      `${name} is completed, but this session did not start it. Send “initialized” when the player begins; without ` +
        `it the time is not known.`,
    )
  if (verb === 'skipped' && !accessed && isKnown)
    yield warning(
      'skipped-before-accessed',
      `${name} is skipped, but this session did not access it. Send “accessed” when it appears, then “skipped”.`,
    )
  const now = progressOf(result)
  if (verb === 'progressed' && isProgress(now) && progress !== undefined && now < progress)
    yield warning(
      'progress-goes-back',
      `The progress of ${name} goes back from ${progress} to ${now}. Send the progress of the whole; if the player ` +
        `starts over, send “completed” and “initialized” first.`,
    )
}

function* ofContent(verb: PlayVerb, { result }: Statement): Generator<PlayWarning> {
  if (verb === 'progressed') {
    const progress = progressOf(result)
    if (progress === undefined)
      yield warning(
        'progress-missing',
        `“progressed” does not say how far: result.extensions needs ${extensions.progress[0]}, a number from 0 to 1.`,
      )
    else if (!isProgress(progress))
      yield warning(
        'progress-out-of-range',
        `The progress is ${excerpt(JSON.stringify(progress), 20)}, but has to be a number from 0 to 1: 0.5 is half. ` +
          `It is not counted.`,
      )
  }
  if ((verb === 'selected' || verb === 'unlocked') && (result?.response ?? '') === '')
    yield warning('no-response', `“${verb}” does not say which option: write it into result.response.`)
}

function* ofType(verb: PlayVerb, { type }: ActivityDefinition, name: string): Generator<PlayWarning> {
  const family = familyOf(verb)
  const known = playType(type)
  const fitting = `With “${verb}” use one of ${typesOf(family)}.`
  if (known === undefined)
    yield warning(
      'unknown-type',
      `${name} has ${type === undefined ? 'no type' : 'a type that is not of the profile'} in ` +
        `object.definition.type. ${fitting}`,
    )
  else if (familyOfThing(known) !== family)
    yield warning('type-does-not-fit', `${name} has the type ${known}. ${fitting}`)
}

const isProgress = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1

function after(verb: PlayVerb, past: Past, { result }: Statement): Past {
  const progress = progressOf(result)
  switch (verb) {
    case 'initialized':
      return { ...past, running: true, progress: undefined }
    case 'completed':
      return { ...past, running: false, progress: undefined }
    case 'progressed':
      return isProgress(progress) ? { ...past, progress } : past
    case 'accessed':
      return { ...past, accessed: true }
    default:
      return past
  }
}

const warning = (rule: string, text: string): PlayWarning => ({ rule, text })
