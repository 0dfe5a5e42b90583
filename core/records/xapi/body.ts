import { singlesAsArrays } from './activities.ts'
import type { Rules } from './dialect.ts'
import type { Member, Span } from './spans.ts'
import { drop, splice, type Edit } from './splice.ts'
import type { Statement } from './types.ts'

/** What the service adds to every statement. */
export interface Additions {
  rules: Rules
  /** JSON of the credential's Agent. */
  authority: string
  /** JSON of the launch token's actor; it replaces the client's. */
  actor?: string
  /** Keeps the statement's authority, because it comes from another store. */
  keepAuthority?: boolean
  /** The timestamp of statements that have none. */
  now: string
}

/**
 * The stored JSON of the statement text[start..end) with these members. The bytes stay as they came except for id,
 * authority and actor, for `stored`, which is left out until it is known, and for a missing timestamp or version,
 * which is added.
 */
export function bodyOf(
  text: string,
  { start, end }: Span,
  list: Member[],
  statement: Statement,
  id: string,
  how: Additions,
): string {
  const edits: Edit[] = []
  const keeps = how.keepAuthority === true && statement.authority !== undefined
  drop(list, ({ key }) => (key === 'authority' && !keeps) || key === 'stored', edits)
  let added = ''
  const set = (key: string, json: string) => {
    const member = list.find((member) => member.key === key)
    if (!member) added += `,"${key}":${json}`
    else edits.push({ start: member.valueStart, end: member.valueEnd, text: json })
  }
  set('id', `"${id}"`)
  if (how.actor !== undefined) set('actor', how.actor)
  if (statement.timestamp === undefined) set('timestamp', `"${how.now}"`)
  if (statement.version === undefined) set('version', `"${how.rules.statementVersion}"`)
  edits.push(...singlesAsArrays(text, statement, list))
  const last = list.at(-1)!.valueEnd
  edits.push({ start: last, end: last, text: keeps ? added : `${added},"authority":${how.authority}` })
  return splice(text, start, end, edits)
}
