import { parse } from './json.ts'
import type { Activity, Statement } from './types.ts'

/** Characters of the JSON of an activity's names: a list shows one of them. */
const longestName = 2_000
/** Activities of each kind that contain the object. */
const mostContainers = 20

/**
 * The JSON of what results are counted from, without extensions, responses and descriptions: they are most of a large
 * statement. @param body JSON of a statement
 */
export function outlineOf(body: string): string {
  const { verb, object, result, context, timestamp } = parse(body) as Statement
  const { id, objectType, definition } = object as Activity
  const { type, name } = definition ?? {}
  const { score, success, completion, duration } = result ?? {}
  const { parent, grouping } = context?.contextActivities ?? {}
  return JSON.stringify({
    verb: { id: verb.id },
    object: {
      id,
      objectType,
      definition: { type, name: JSON.stringify(name ?? {}).length > longestName ? undefined : name },
    },
    result: result && { score, success, completion, duration },
    context: {
      registration: context?.registration,
      contextActivities: { parent: idsOf(parent), grouping: idsOf(grouping) },
    },
    timestamp,
  })
}

const idsOf = (activities: Activity | Activity[] = []): { id: string }[] =>
  [activities]
    .flat()
    .slice(0, mostContainers)
    .map(({ id }) => ({ id }))
