import { parse } from './json.ts'
import { members, drop, splice, type Edit } from './spans.ts'
import type { Attachment, Context, Statement } from './types.ts'

/** The versions in which statements are sent to another store. */
export type TargetVersion = '1.0.3' | '2.0.0'

/** A statement as another store gets it. */
export interface ForwardedStatement {
  readonly text: string
  readonly statement: Statement
  /** Of the statement and of a SubStatement in it. */
  readonly attachments: readonly Attachment[]
}

/**
 * The JSON of a stored statement in the form for another store. What that store writes by itself is left out:
 * `authority`, and `version` where it is not of the target's. All other bytes stay.
 * @returns why it cannot be sent, if it has what the version does not know
 */
export function forwardedForm(stored: string, target: TargetVersion): ForwardedStatement | string {
  const statement = parse(stored) as Statement & { version?: string }
  const { object } = statement
  const sub = object.objectType === 'SubStatement' ? object : undefined
  const unknown = target === '1.0.3' && (unknownTo103(statement.context) ?? unknownTo103(sub?.context))
  if (unknown) return `${unknown} exists only in xAPI 2.0, and the target gets 1.0.3.`
  const isOther = (statement.version ?? '1.0.3').slice(0, 2) !== target.slice(0, 2)
  const unwanted = isOther ? ['authority', 'stored', 'version'] : ['authority', 'stored']
  const edits: Edit[] = []
  drop(members(stored), ({ key }) => unwanted.includes(key), edits)
  return {
    text: splice(stored, 0, stored.length, edits),
    statement,
    attachments: [...(statement.attachments ?? []), ...((sub as { attachments?: Attachment[] })?.attachments ?? [])],
  }
}

function unknownTo103(context: Context | undefined): string | undefined {
  return (['contextAgents', 'contextGroups'] as const).find((name) => context?.[name] !== undefined)
}
