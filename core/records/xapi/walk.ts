import { elements, members, stringOf } from './spans.ts'

/** Looks at the value that starts at text[start] and notes in `out` what it finds. */
export type Walk<T> = (text: string, start: number, out: T[]) => void

/** Walks into the members of an object that have a walk of their own. */
export function inObject<T>(walks: Record<string, Walk<T>>): Walk<T> {
  const byKey = new Map(Object.entries(walks))
  return (text, start, out) => {
    for (const { key, valueStart } of members(text, start)) byKey.get(key)?.(text, valueStart, out)
  }
}

/** Walks into every element of an array, or into a value that stands for an array of one. */
export function inEach<T>(walk: Walk<T>): Walk<T> {
  return (text, start, out) => {
    if (text[start] !== '[') walk(text, start, out)
    else for (const element of elements(text, start)) walk(text, element.start, out)
  }
}

/** Walks into an object as its objectType says; one without is an Activity (xAPI Data 2.4.4). */
function byType<T>(walks: Record<string, Walk<T>>): Walk<T> {
  const byName = new Map(Object.entries(walks))
  return (text, start, out) => {
    const type = members(text, start).find(({ key }) => key === 'objectType')
    byName.get(type ? stringOf(text, type.valueStart, type.valueEnd) : 'Activity')?.(text, start, out)
  }
}

/** Walks through a statement: into everybody, every Verb and every Activity that it names, in its SubStatement too. */
export function inStatement<T>(actor: Walk<T>, verb: Walk<T>, activity: Walk<T>): Walk<T> {
  const activities = inEach(activity)
  const context = inObject({
    instructor: actor,
    team: actor,
    contextActivities: inObject({ parent: activities, grouping: activities, category: activities, other: activities }),
    contextAgents: inEach(inObject({ agent: actor })),
    contextGroups: inEach(inObject({ group: actor })),
  })
  const objects = { Activity: activity, Agent: actor, Group: actor }
  const SubStatement = inObject({ actor, verb, object: byType(objects), context })
  return inObject({ actor, verb, object: byType({ ...objects, SubStatement }), context, authority: actor })
}
