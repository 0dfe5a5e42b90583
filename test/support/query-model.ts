import fc from 'fast-check'
import { agent, registrations, someActivity, someVerb } from './random-statements.ts'
import type { Json } from './statements.ts'

export interface Filter {
  agent?: Json
  related_agents?: boolean
  verb?: string
  activity?: string
  related_activities?: boolean
  registration?: string
  since?: string
  until?: string
  ascending?: boolean
}

/** Some filters of statements of `someStatements`. */
export const someFilter: fc.Arbitrary<Filter> = fc.record(
  {
    agent: fc.oneof(agent, fc.constant({ objectType: 'Group', mbox: 'mailto:team@example.org' })),
    related_agents: fc.boolean(),
    verb: fc.oneof(
      someVerb.map(({ id }) => id),
      fc.constant('http://adlnet.gov/expapi/verbs/voided'),
    ),
    activity: someActivity.map(({ id }) => id),
    related_activities: fc.boolean(),
    registration: fc.constantFrom(...registrations),
    ascending: fc.boolean(),
  },
  { requiredKeys: [] },
)

/**
 * What GET /statements has to answer (xAPI 1.0.3 Communication 2.1.3), told by looking at every statement.
 * All filters of agent, verb, activity and registration are met by the statement itself or by one and the same
 * statement that it refers to, directly or through further references; time by the statement itself.
 * @param stored whole statements as GET gives them, voided ones too
 */
export function expectedOf(stored: readonly Json[], filter: Filter): string[] {
  const byId = new Map(stored.map((statement) => [statement.id, statement]))
  const voided = new Set(
    stored
      .filter((one) => isVoiding(one) && byId.has(one.object.id) && !isVoiding(byId.get(one.object.id)))
      .map(({ object }) => object.id),
  )
  const found = stored
    .filter(
      ({ id, stored: time }) =>
        !voided.has(id) && (!filter.since || time > filter.since) && (!filter.until || time <= filter.until),
    )
    .filter((statement) => reachable(statement, byId).some((one) => matches(one, filter)))
    .sort((one, other) => (one.stored < other.stored ? -1 : 1))
    .map(({ id }) => id)
  return filter.ascending ? found : found.toReversed()
}

const isVoiding = ({ verb }: Json) => verb.id === 'http://adlnet.gov/expapi/verbs/voided'

/** The statement and all that it refers to. */
function reachable(statement: Json, byId: Map<string, Json>): Json[] {
  const found = new Set<Json>()
  for (
    let next = statement;
    next && !found.has(next);
    next = next.object.objectType === 'StatementRef' ? byId.get(next.object.id) : undefined
  )
    found.add(next)
  return [...found]
}

function matches(
  statement: Json,
  { agent, related_agents, verb, activity, related_activities, registration }: Filter,
): boolean {
  const { object, context = {} } = statement
  const sub = object.objectType === 'SubStatement' ? object : undefined
  return (
    (!verb || statement.verb.id === verb) &&
    (!registration || context.registration === registration) &&
    (!activity ||
      isActivity(object, activity) ||
      (!!related_activities &&
        [sub?.object, ...contextActivities(context), ...contextActivities(sub?.context ?? {})].some((one) =>
          isActivity(one, activity),
        ))) &&
    (!agent ||
      [statement.actor, object].some((one) => isAgent(one, agent)) ||
      (!!related_agents &&
        [
          statement.authority,
          ...contextAgents(context),
          sub?.actor,
          sub?.object,
          ...contextAgents(sub?.context ?? {}),
        ].some((one) => isAgent(one, agent))))
  )
}

const contextActivities = ({ contextActivities = {} }: Json): Json[] => Object.values(contextActivities).flat()
const contextAgents = ({ instructor, team }: Json): Json[] => [instructor, team]
const isActivity = (one: Json, id: string) => !!one && (one.objectType ?? 'Activity') === 'Activity' && one.id === id

/** The Agent or Group itself, or a member of it. */
function isAgent(one: Json, agent: Json): boolean {
  if (!one || one.verb || one.objectType === 'StatementRef') return false
  return identifier(one) === identifier(agent) || (one.member ?? []).some((member: Json) => isAgent(member, agent))
}

function identifier({ mbox, account }: Json): string | undefined {
  return mbox ?? (account && `${account.homePage} ${account.name}`)
}
