import { durationMs } from '../../records/xapi/duration.ts'
import { actorKey } from '../../records/xapi/identify.ts'
import { chooseLanguage } from '../../records/xapi/languages.ts'
import { microsOf } from '../../records/xapi/timestamp.ts'
import type { Activity, Actor, LanguageMap, Statement } from '../../records/xapi/types.ts'
import type { Cell, Row } from './columns.ts'
import { pseudonymHome } from './pseudonyms.ts'

/** What core knows beside the statement itself. */
export interface Names {
  /** Of an activity, from all statements that define it. */
  activity(iri: string): { readonly name?: LanguageMap; readonly type?: string } | undefined
  /** Of a verb, from other statements; undefined: none gave one. */
  verb(iri: string): string | undefined
  /** As of acceptLanguages(), the best first. */
  readonly languages: readonly string[]
}

/** A stored statement as a row. */
export function rowOf(statement: Statement, names: Names): Row {
  const { id, stored, timestamp, actor, verb, object, result = {}, context = {} } = statement
  const { score = {} } = result
  const activity = isActivity(object) ? object : undefined
  const known = activity && names.activity(activity.id)
  return {
    id,
    stored: stored === undefined ? undefined : microsOf(stored),
    timestamp: timestamp === undefined ? undefined : microsOf(timestamp),
    learner_name: actor.name,
    learner: identifierOf(actor),
    verb: inLanguage(verb.display, names.languages) ?? names.verb(verb.id) ?? lastSegment(verb.id),
    verb_iri: verb.id,
    object_type: object.objectType ?? 'Activity',
    activity:
      activity &&
      (inLanguage(known?.name, names.languages) ??
        inLanguage(activity.definition?.name, names.languages) ??
        lastSegment(activity.id)),
    activity_iri: activity?.id,
    activity_type: known?.type ?? activity?.definition?.type,
    success: result.success,
    completion: result.completion,
    score_scaled: finite(score.scaled),
    score_raw: finite(score.raw),
    score_min: finite(score.min),
    score_max: finite(score.max),
    duration_seconds: result.duration === undefined ? undefined : finite(durationMs(result.duration, Infinity)! / 1000),
    response: result.response,
    registration: context.registration?.toLowerCase(),
    build: context.revision,
  }
}

/** JSON of an extension, wherever the statement has it: in its result, its context or its activity. */
export function extensionOf({ result, context, object }: Statement, iri: string): Cell {
  const definition = isActivity(object) ? object.definition : undefined
  for (const extensions of [result?.extensions, context?.extensions, definition?.extensions])
    if (extensions !== undefined && Object.hasOwn(extensions, iri)) return JSON.stringify(extensions[iri])
  return undefined
}

const isActivity = (object: Statement['object']): object is Activity =>
  object.objectType === undefined || object.objectType === 'Activity'

/** One text for what identifies an agent: different learners have different ones. */
function identifierOf(actor: Actor): string | undefined {
  const { mbox, mbox_sha1sum: sum, openid, account } = actor
  if (account) return account.homePage === pseudonymHome ? account.name : `${account.homePage}|${account.name}`
  if (mbox !== undefined) return mbox.replace(/^mailto:/i, '')
  if (openid !== undefined) return openid
  if (sum !== undefined) return `sha1:${sum}`
  return `group:${actorKey(actor)}`
}

function inLanguage(map: LanguageMap | undefined, languages: readonly string[]): string | undefined {
  const entries = Object.entries(map ?? {}).filter(([, text]) => typeof text === 'string' && text !== '')
  return chooseLanguage(
    entries.map(([key, text]) => ({ key, text })),
    [...languages],
  )?.text
}

/** The end of an IRI in words, for what nobody gave a name. */
function lastSegment(iri: string): string {
  const segment =
    iri
      .slice(0, 2_000)
      .split(/[/#?:]/)
      .filter((part) => part !== '')
      .at(-1) ?? ''
  return decoded(segment).replaceAll(/[-_+]/g, ' ').trim()
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** JSON has numbers that a double cannot hold. */
const finite = (value: number | undefined): number | undefined => (Number.isFinite(value) ? value : undefined)
