import { randomUUID } from 'node:crypto'
import { declaredAttachments, type DeclaredAttachment } from './attachment.ts'
import type { Rules } from './dialect.ts'
import { activityKey, actorKey, verbKey, type Key } from './identify.ts'
import { parse, parseJson } from './json.ts'
import { isActivity, Mentions, singlesAsArrays, type ActivityMention, type AgentMention } from './mentions.ts'
import { Problem } from '../../process/problem.ts'
import { drop, elements, members, splice, type Edit, type Member, type Span } from './spans.ts'
import type { Statement } from './types.ts'
import { validateStatement, voided } from './validate.ts'
import { ours, say } from '../../../shared/say.ts'

/** What the service adds to statements, and the rules for them. */
export interface Preparation {
  rules: Rules
  /** JSON of the credential's Agent. */
  authority: string
  /** JSON of the launch token's actor; it replaces the client's. */
  actor?: string
  /** Keeps the statement's authority, because it comes from another store. */
  keepAuthority?: boolean
  /** The timestamp of statements that have none. */
  now: string
  /** The statementId of PUT. */
  statementId?: string
  maxStatements: number
}

export interface PreparedStatement {
  /** Lower-case UUID. */
  id: string
  /** Bytes of its body. */
  length: number
  actor: Key
  verb: Key
  /** Undefined if the object is no Activity. */
  activity?: Key
  /** Lower-case UUID. */
  registration?: string
  terms: Key[]
  /** Lower-case id of the statement that a StatementRef as object refers to. */
  target?: string
  voids: boolean
  attachments: DeclaredAttachment[]
}

export interface Prepared {
  statements: PreparedStatement[]
  /**
   * The bodies of the statements, one after the other: the JSON as it came, with all that the service adds but `stored`.
   * One run of bytes, because the heap would copy the texts of a batch several times.
   */
  bodies: Uint8Array
  /** The id of each statement of the input, in its order, also of skipped ones. */
  ids: string[]
  activities: ActivityMention[]
  agents: AgentMention[]
}

/** The body of each statement. */
export function bodiesOf({ statements, bodies }: Pick<Prepared, 'statements' | 'bodies'>): string[] {
  let at = 0
  return statements.map(({ length }) => Buffer.from(bodies.subarray(at, (at += length))).toString())
}

/** A batch of more statements than one request may carry. */
export class TooMany extends Error {
  readonly max: number

  constructor(max: number) {
    super(`max ${max} statements`)
    this.name = 'TooMany'
    this.max = max
  }
}

/**
 * Most agents and activities of one request, beside actors and objects. Each is a row written under the lock of the
 * order.
 */
const maxTerms = 10_000
/** Most names and definitions of agents and activities, also of actors and objects. */
const maxMentions = maxTerms + 500
/** Most bad statements of one request that its refusal names: all of a batch of REST. */
const mostFaults = 250

/** Below it, to hand a body to a thread and back takes longer than to prepare it: about 10 usual statements. */
const smallBytes = 12 * 1024
/** A body of this size takes at most about 10 ms, whatever its content. */
const cheapBytes = 128 * 1024
/** A larger body is no usual batch: 250 usual statements have 250 KB. */
const costlyBytes = 4 * cheapBytes
/** Most commas and opening brackets: the value after each takes at most 1 µs. 250 usual statements have 12,000. */
const cheapValues = 20_000
/** Backslashes that take as long as a value. */
const escapesOfValue = 8

/** The thread that prepares the statements of this body; undefined: the caller's own. */
export const laneOf = (bytes: Uint8Array): 'usual' | 'heavy' | undefined =>
  bytes.byteLength > smallBytes ? (isCostly(bytes) ? 'heavy' : 'usual') : undefined

/** Whether preparing the statements of this body may take more than 20 ms. */
export function isCostly(bytes: Uint8Array): boolean {
  if (bytes.byteLength <= cheapBytes) return false
  if (bytes.byteLength > costlyBytes) return true
  let values = 0
  let escapes = 0
  // by index: an iterator takes 10 times as long
  for (let at = 0; at < bytes.byteLength; at++) {
    const byte = bytes[at]!
    if (byte === 0x2c || byte === 0x5b || byte === 0x7b) values++
    else if (byte === 0x5c) escapes++
  }
  return values + escapes / escapesOfValue > cheapValues
}

/**
 * Validates the body of a request, a statement or an array of statements, and returns the rows to store. Bytes that the
 * service does not own stay as they came.
 * @throws Problem of the first bad statement, with those of all others as `further`; TooMany
 */
export function prepareStatements(bytes: Uint8Array, how: Preparation): Prepared {
  const { text, value } = parseJson(bytes, 'statements')
  const batch = Array.isArray(value)
  if (batch && how.statementId !== undefined) throw new Problem('', 'must be a single statement, not an array')
  const values: unknown[] = batch ? value : [value]
  if (values.length > how.maxStatements) throw new TooMany(how.maxStatements)
  const spans = batch ? elements(text) : [wholeOf(text)]
  const actor: unknown = how.actor && parse(how.actor)

  const mentions = new Mentions()
  const statements: PreparedStatement[] = []
  const bodies: string[] = []
  const ids: string[] = []
  const firsts = new Map<string, number>()
  let termCount = 0
  const faults: Problem[] = []
  for (const [index, value] of values.entries()) {
    const path = batch ? `statements[${index}]` : ''
    try {
      const statement = checked(value, actor, path, how)
      const id = statement.id?.toLowerCase() ?? randomUUID()
      ids.push(id)
      if (firsts.has(id)) {
        if (how.rules.duplicateIdsInBatch === 'skip') continue
        throw new Problem(`${path}.id`, say`must differ from the id of statements[${ours(firsts.get(id)!)}]`)
      }
      firsts.set(id, index)
      const list = members(text, spans[index]!.start)
      const columns = columnsOf(statement)
      const terms = mentions.add(statements.length, statement, text, list, columns.actor, how.keepAuthority)
      const body = bodyOf(text, spans[index]!, list, statement, id, how)
      termCount += terms.length
      bodies.push(body)
      const attachments = mayAttach(statement) ? declaredAttachments(statement, body, path) : none
      statements.push({ id, length: Buffer.byteLength(body), ...columns, terms, attachments })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (faults.push(error) === mostFaults) break
    }
    if (termCount > maxTerms || mentions.activities.length + mentions.agents.length > maxMentions)
      throw new Problem('', `must name at most ${maxTerms} agents and activities: send fewer statements at a time`)
  }
  if (faults.length > 0) throw together(faults)
  return {
    statements,
    bodies: Buffer.from(bodies.join('')),
    ids,
    activities: mentions.activities,
    agents: mentions.agents,
  }
}

/** The first fault, with the others as its `further`. */
const together = ([first, ...further]: readonly Problem[]): Problem =>
  new Problem(first!.place, first!.said, first!.rule, further)

const none: DeclaredAttachment[] = []
const mayAttach = ({ attachments, object }: Statement): boolean =>
  attachments !== undefined || object.objectType === 'SubStatement'

function wholeOf(text: string): Span {
  const start = text.length - text.trimStart().length
  return { start, end: text.trimEnd().length }
}

/**
 * Validates the statement with the actor and id of the request. The client's own are not checked, because they are
 * replaced.
 */
function checked(value: unknown, actor: unknown, path: string, { rules, statementId }: Preparation): Statement {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if (actor !== undefined) Object.assign(value, { actor })
    if (statementId !== undefined) Object.assign(value, { id: statementId })
  }
  validateStatement(value, path, rules)
  return value
}

function columnsOf(statement: Statement): Omit<PreparedStatement, 'id' | 'length' | 'terms' | 'attachments'> {
  const { actor, verb, object, context } = statement
  return {
    actor: actorKey(actor),
    verb: verbKey(verb.id),
    activity: isActivity(object) ? activityKey(object.id) : undefined,
    registration: context?.registration?.toLowerCase(),
    target: object.objectType === 'StatementRef' ? object.id.toLowerCase() : undefined,
    voids: verb.id === voided,
  }
}

/**
 * The stored JSON of the statement text[start..end) with these members. The bytes stay as they came except for id,
 * authority and actor, for `stored`, which is left out until it is known, and for a missing timestamp or version,
 * which is added.
 */
function bodyOf(
  text: string,
  { start, end }: Span,
  list: Member[],
  statement: Statement,
  id: string,
  how: Preparation,
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
