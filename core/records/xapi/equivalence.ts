import { isDeepStrictEqual } from 'node:util'
import { isActivity } from './mentions.ts'
import type { Rules } from './dialect.ts'
import { microsOf } from './timestamp.ts'
import type { Activity, Actor, Agent, Context, Group, Result, Statement, SubStatement } from './types.ts'

/**
 * The first property in which two valid statements differ logically; undefined when they match (xAPI 1.0.3 Data 2.3.1,
 * Statement Comparison Requirements). It ignores what a store may add or change: authority, stored, version,
 * attachments, an id or timestamp that only one has, display of the verb, definitions of activities, the order of
 * members, the zone of timestamps, and case where it has no meaning.
 */
export function differenceOf(one: Statement, other: Statement, rules: Rules): string | undefined {
  if (one.id && other.id && !sameText(one.id, other.id)) return 'id'
  if (one.timestamp && other.timestamp && microsOf(one.timestamp) !== microsOf(other.timestamp)) return 'timestamp'
  const [left, right] = [essenceOf(one, rules), essenceOf(other, rules)]
  return (Object.keys(left) as (keyof typeof left)[]).find((key) => !isDeepStrictEqual(left[key], right[key]))
}

const sameText = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

function essenceOf({ actor, verb, object, result, context }: Statement | SubStatement, rules: Rules) {
  return {
    actor: actorOf(actor),
    verb: verb.id,
    object: objectOf(object, rules),
    result: result && resultOf(result, rules),
    context: context && contextOf(context),
  }
}

function objectOf(object: Statement['object'], rules: Rules): unknown {
  if (isActivity(object)) return activityOf(object)
  if (object.objectType === 'StatementRef') return { ...object, id: object.id.toLowerCase() }
  if (object.objectType !== 'SubStatement') return actorOf(object)
  return { ...essenceOf(object, rules), timestamp: object.timestamp && microsOf(object.timestamp) }
}

const activityOf = ({ id }: Activity) => ({ objectType: 'Activity', id })

function actorOf(actor: Actor): unknown {
  const one: Agent | Group = { objectType: 'Agent', ...actor }
  if (one.mbox) one.mbox = one.mbox.replace(/@[^@]*$/, (domain) => domain.toLowerCase())
  if (one.account) one.account = { homePage: one.account.homePage, name: one.account.name }
  if (one.objectType !== 'Group' || !one.member) return one
  const members = one.member.map((member) => actorOf(member))
  return { ...one, member: members.map((member) => JSON.stringify(Object.entries(member as object).sort())).sort() }
}

/** In 2.0, durations match if they are equal to a hundredth of a second; in 1.0.3, if their texts are equal. */
function resultOf({ duration, ...result }: Result, { durationPrecision }: Rules): Result {
  if (duration === undefined) return result
  return { ...result, duration: durationPrecision === 'exact' ? duration : duration.replace(/[.,](\d+)S$/, hundredths) }
}

function hundredths(_text: string, digits: string): string {
  const kept = digits.slice(0, 2).replace(/0+$/, '')
  return kept === '' ? 'S' : `.${kept}S`
}

function contextOf(context: Context): unknown {
  const {
    registration,
    instructor,
    team,
    language,
    contextActivities,
    contextAgents,
    contextGroups,
    statement,
    ...rest
  } = context
  const kinds = Object.entries(contextActivities ?? {}).map(([kind, activities]) => [
    kind,
    [activities].flat().map(activityOf),
  ])
  return {
    ...rest,
    registration: registration?.toLowerCase(),
    instructor: instructor && actorOf(instructor),
    team: team && actorOf(team),
    language: language?.toLowerCase(),
    contextActivities: contextActivities && Object.fromEntries(kinds),
    contextAgents: contextAgents?.map((one) => ({ ...one, agent: actorOf(one.agent) })),
    contextGroups: contextGroups?.map((one) => ({ ...one, group: actorOf(one.group) })),
    statement: statement && { ...statement, id: statement.id.toLowerCase() },
  }
}
