import { createHmac } from 'node:crypto'
import { agentIdentifier } from '../../records/xapi/identify.ts'
import { parse } from '../../records/xapi/json.ts'
import { elements, members, stringOf, type Member, drop, splice, type Edit } from '../../records/xapi/spans.ts'
import { inUtc } from '../../records/xapi/timestamp.ts'
import type { Actor, Agent } from '../../records/xapi/types.ts'

export interface Pseudonymity {
  /** Of the HMAC: with the same key the same learner has the same pseudonym. */
  readonly key: Uint8Array
  /** JSON of the agent that stores the game's statements. It is no person, so it stays. */
  readonly authority: string
  /** Leave out responses and extensions, in which a game may have written a name. */
  readonly bare: boolean
}

/** The home page of the accounts that stand for learners; `.invalid` is no domain (RFC 2606). */
export const pseudonymHome = 'https://pseudonym.invalid/'

const digestBy = (key: Uint8Array) => (kind: string, value: string) =>
  createHmac('sha256', key).update(`${kind}\0${value}`).digest()

/** The function for the id of a statement, or a registration. */
export function uuidPseudonym(key: Uint8Array): (uuid: string) => string {
  const digest = digestBy(key)
  return (uuid) => {
    const bytes = digest('uuid', uuid.toLowerCase()).subarray(0, 16)
    bytes[6] = (bytes[6]! & 0x0f) | 0x80
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}

/** The function for the identifier of an agent, as `agentIdentifier` makes it. */
export function agentPseudonym(key: Uint8Array): (identifier: string) => string {
  const digest = digestBy(key)
  return (identifier) => digest('agent', identifier).toString('base64url').slice(0, 22)
}

/**
 * Replaces whatever tells who: agents and groups wherever a statement has them, its id and those that it refers to, its
 * registration. Its timestamp becomes UTC, because an offset tells where somebody is. Attachments go, and with them a
 * signature, which repeats the statement. All other bytes stay.
 * @returns the function for the JSON of a stored statement
 */
export function pseudonymizer({ key, authority, bare }: Pseudonymity): (text: string) => string {
  const own = agentIdentifier(parse(authority) as Agent)
  const nameOf = agentPseudonym(key)
  const uuidOf = uuidPseudonym(key)

  function personOf(actor: Actor): object {
    const { objectType = 'Agent' } = actor
    const member = 'member' in actor ? actor.member : undefined
    const identifier = agentIdentifier(actor)
    const name = identifier && nameOf(identifier)
    return {
      objectType,
      // many tools know learners by their name only
      ...(name === undefined ? {} : { name, account: { homePage: pseudonymHome, name } }),
      ...(member === undefined ? {} : { member: member.map(personOf) }),
    }
  }

  /** Notes the edits of one object whose members have rules of their own. */
  type Rule = (text: string, member: Member, edits: Edit[]) => void
  const inside =
    (rules: Readonly<Record<string, Rule>>, unwanted: readonly string[] = []): Rule =>
    (text, { valueStart }, edits) => {
      const list = members(text, valueStart)
      for (const member of list) if (Object.hasOwn(rules, member.key)) rules[member.key]!(text, member, edits)
      drop(list, ({ key }) => unwanted.includes(key), edits)
    }
  const each =
    (rule: Rule): Rule =>
    (text, member, edits) => {
      if (text[member.valueStart] !== '[') return rule(text, member, edits)
      for (const { start, end } of elements(text, member.valueStart))
        rule(text, { ...member, valueStart: start, valueEnd: end }, edits)
    }
  const replaced = ({ valueStart: start, valueEnd: end }: Member, by: unknown, edits: Edit[]): void =>
    void edits.push({ start, end, text: JSON.stringify(by) })

  const uuid: Rule = (text, member, edits) =>
    replaced(member, uuidOf(stringOf(text, member.valueStart, member.valueEnd)), edits)
  const person: Rule = (text, member, edits) => replaced(member, personOf(actorIn(text, member)), edits)
  const utc: Rule = (text, member, edits) =>
    replaced(member, inUtc(stringOf(text, member.valueStart, member.valueEnd)), edits)
  const authorized: Rule = (text, member, edits) => {
    if (agentIdentifier(actorIn(text, member)) !== own) person(text, member, edits)
  }
  const told = bare ? ['extensions', 'response'] : []
  const result = inside({}, told)
  const activity = inside({ definition: inside({}, told) })
  const activities = each(activity)
  const context = inside(
    {
      registration: uuid,
      instructor: person,
      team: person,
      statement: inside({ id: uuid }),
      contextAgents: each(inside({ agent: person })),
      contextGroups: each(inside({ group: person })),
      contextActivities: inside({
        parent: activities,
        grouping: activities,
        category: activities,
        other: activities,
      }),
    },
    told,
  )
  const object: Rule = (text, member, edits) => {
    const type = members(text, member.valueStart).find(({ key }) => key === 'objectType')
    const kind = type === undefined ? 'Activity' : stringOf(text, type.valueStart, type.valueEnd)
    const rules: Readonly<Record<string, Rule>> = {
      Agent: person,
      Group: person,
      StatementRef: inside({ id: uuid }),
      SubStatement: statement,
    }
    ;(rules[kind] ?? activity)(text, member, edits)
  }
  const statement: Rule = (text, member, edits) =>
    inside({ id: uuid, actor: person, object, result, context, timestamp: utc, authority: authorized }, [
      'attachments',
    ])(text, member, edits)

  return (text) => {
    const edits: Edit[] = []
    statement(text, { key: '', keyStart: 0, valueStart: 0, valueEnd: text.length }, edits)
    return splice(text, 0, text.length, edits)
  }
}

const actorIn = (text: string, { valueStart, valueEnd }: Member): Actor =>
  parse(text.slice(valueStart, valueEnd)) as Actor
