import { elements, members, type Member } from './spans.ts'
import type { Edit } from './splice.ts'
import type { Activity, Statement, SubStatement } from './types.ts'

/** An Activity of a statement, and its definition as it came. */
export interface NamedActivity {
  id: string
  /** It is in the context or the SubStatement, so only related_activities finds it. */
  related: boolean
  definition?: string
}

/** A statement or SubStatement and the members of its text. */
interface Experience {
  value: Statement | SubStatement
  list: Member[]
}

/** Every Activity that the statement names: its object, those of its context, and those of its SubStatement. */
export function activitiesOf(text: string, statement: Statement, list: Member[]): NamedActivity[] {
  const found: NamedActivity[] = []
  for (const { value, list: fields } of experiences(text, statement, list)) {
    if (isActivity(value.object)) {
      found.push(named(text, value.object, field(fields, 'object').valueStart, value !== statement))
    }
    const inContext = Object.values(value.context?.contextActivities ?? {})
    // most Activities have no definition: then the text need not be searched
    if (!inContext.flat().some(({ definition }) => definition)) {
      for (const { id } of inContext.flat()) found.push({ id, related: true })
      continue
    }
    eachContextActivities(text, value, fields, (activities, { valueStart }) => {
      if (!Array.isArray(activities)) return found.push(named(text, activities, valueStart, true))
      const spans = activities.some(({ definition }) => definition) ? elements(text, valueStart) : []
      for (const [index, activity] of activities.entries()) found.push(named(text, activity, spans[index]?.start, true))
    })
  }
  return found
}

/** The edits that make an array of each single Activity in contextActivities (xAPI 1.0.3 Data 2.4.6.2). */
export function singlesAsArrays(text: string, statement: Statement, list: Member[]): Edit[] {
  const edits: Edit[] = []
  for (const { value, list: fields } of experiences(text, statement, list)) {
    if (Object.values(value.context?.contextActivities ?? {}).every(Array.isArray)) continue
    eachContextActivities(text, value, fields, (activities, { valueStart, valueEnd }) => {
      if (Array.isArray(activities)) return
      edits.push({ start: valueStart, end: valueEnd, text: `[${text.slice(valueStart, valueEnd)}]` })
    })
  }
  return edits
}

/** The statement and its SubStatement. */
function experiences(text: string, statement: Statement, list: Member[]): Experience[] {
  const found: Experience[] = [{ value: statement, list }]
  if (statement.object.objectType === 'SubStatement') {
    found.push({ value: statement.object, list: members(text, field(list, 'object').valueStart) })
  }
  return found
}

function eachContextActivities(
  text: string,
  { context }: Statement | SubStatement,
  list: Member[],
  visit: (activities: Activity | Activity[], member: Member) => unknown,
): void {
  const kinds = context?.contextActivities
  if (!kinds) return
  const inContext = members(text, field(list, 'context').valueStart)
  for (const member of members(text, field(inContext, 'contextActivities').valueStart)) {
    visit(kinds[member.key as keyof typeof kinds]!, member)
  }
}

function named(text: string, { id, definition }: Activity, start: number | undefined, related: boolean): NamedActivity {
  if (definition === undefined) return { id, related }
  const { valueStart, valueEnd } = field(members(text, start), 'definition')
  return { id, definition: text.slice(valueStart, valueEnd), related }
}

/** An object without objectType is an Activity (xAPI Data 2.4.4). */
export function isActivity(object: Statement['object']): object is Activity {
  return object.objectType === undefined || object.objectType === 'Activity'
}

function field(list: Member[], key: string): Member {
  return list.find((member) => member.key === key)!
}
