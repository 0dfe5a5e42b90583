import { singlesAsArrays } from './activities.ts'
import type { Rules } from './dialect.ts'
import type { Member, Span } from './spans.ts'
import { drop, splice, type Edit } from './splice.ts'
import type { Statement } from './types.ts'

/** What the service puts into every statement. */
export interface Additions {
  rules: Rules
  /** JSON of the credential's Agent. */
  authority: string
  /** JSON of the launch token's actor: stands in the place of whatever the client sent. */
  actor?: string
  /** The authority that a statement has stays: it comes from another store. */
  keepAuthority?: boolean
  /** The timestamp of statements that have none. */
  now: string
}

/**
 * What is stored of the statement text[start..end), which has these members: all as it came, but for id, authority,
 * stored (left out: it is not known yet), actor, and where they are missing timestamp and version.
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
