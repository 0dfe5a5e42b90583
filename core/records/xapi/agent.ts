import type { Rules } from './dialect.ts'
import type { Actor, Identifiers } from './types.ts'
import {
  arrayOf,
  at,
  checkIri,
  checkObject,
  checkString,
  fail,
  isMailto,
  objectOf,
  propertiesOf,
  textOf,
  wrong,
  type Check,
  type CheckObject,
  type Json,
} from './values.ts'
import { ours, say } from '../../../shared/say.ts'

const sha1 = /^[0-9a-f]{40}$/i

/** What identifies an Agent or Group (xAPI Data 2.4.2.3). */
const identifiers: Record<keyof Identifiers, Check> = {
  mbox: textOf(isMailto, 'a mailto IRI such as "mailto:ann@example.org"'),
  mbox_sha1sum: textOf((text) => sha1.test(text), 'the SHA-1 of a mailto IRI in 40 hexadecimal digits'),
  openid: checkIri,
  account: objectOf(
    'an account',
    { homePage: checkIri, name: checkString },
    {
      expected: 'an account with homePage and name',
      needs: { homePage: 'an account needs the IRI of its system', name: 'an account needs its name in that system' },
    },
  ),
}
const oneOfThem = 'one of mbox, mbox_sha1sum, openid or account'

function countOf({ mbox, mbox_sha1sum, openid, account }: Json): number {
  const one = Number(mbox !== undefined) + Number(mbox_sha1sum !== undefined)
  return one + Number(openid !== undefined) + Number(account !== undefined)
}

/** The properties of an Agent; its objectType is right. */
export const checkAgentProperties: CheckObject = propertiesOf(
  'an Agent',
  { objectType: () => {}, name: checkString, ...identifiers },
  {
    whole(value, path) {
      const count = countOf(value)
      if (count !== 1) fail(path, `needs exactly ${oneOfThem}, but has ${count || 'none'}`)
    },
  },
)

/** The properties of a Group; its objectType is right. */
export const checkGroupProperties: CheckObject = propertiesOf(
  'a Group',
  { objectType: () => {}, name: checkString, member: arrayOf(checkAgent, 'Agents'), ...identifiers },
  {
    whole(value, path) {
      const count = countOf(value)
      if (count > 1) fail(path, say`needs at most ${ours(oneOfThem)}, but has ${count}`)
      if (count === 0 && !(value['member'] as unknown[] | undefined)?.length) {
        const none = oneOfThem.replace('one of ', '')
        fail(at(path, 'member'), say`is missing or empty: a Group without ${ours(none)} needs its members`)
      }
    },
  },
)

/** An Agent; its objectType may be missing. */
export function checkAgent(value: unknown, path: string, key: string | number | undefined, rules: Rules): void {
  const here = at(path, key)
  checkObject(value, here, 'an Agent')
  const type = value['objectType']
  if (type !== undefined && type !== 'Agent') wrong(type, at(here, 'objectType'), '"Agent"')
  checkAgentProperties(value, here, rules)
}

/** A Group, identified or with members; its objectType must be there. */
export const checkGroup: Check = (value, path, key, rules) => {
  const here = at(path, key)
  checkObject(value, here, 'a Group')
  const type = value['objectType']
  if (type === undefined) fail(at(here, 'objectType'), 'is missing: a Group needs the objectType "Group"')
  if (type !== 'Group') wrong(type, at(here, 'objectType'), '"Group"')
  checkGroupProperties(value, here, rules)
}

/** An Agent or a Group, told apart by objectType (xAPI Data 2.4.2). */
export const checkActor: Check = (value, path, key, rules) => {
  const here = at(path, key)
  checkObject(value, here, 'an Agent or Group')
  const type = value['objectType']
  if (type === 'Group') return checkGroupProperties(value, here, rules)
  if (type !== undefined && type !== 'Agent') wrong(type, at(here, 'objectType'), '"Agent" or "Group"')
  checkAgentProperties(value, here, rules)
}

/** Who vouches for a statement: an Agent, or (three-legged OAuth) an anonymous Group of two (xAPI Data 2.4.9). */
export const checkAuthority: Check = (value, path, key, rules) => {
  checkActor(value, path, key, rules)
  const { objectType, member = [], ...named } = value as Json & { member?: unknown[] }
  if (objectType !== 'Group') return
  const here = at(path, key)
  if (countOf(named) > 0) fail(here, 'must be an Agent, or a Group of two Agents without an identifier of its own')
  if (member.length !== 2)
    fail(at(here, 'member'), say`must be exactly two Agents (application and user), not ${member.length}`)
}

/**
 * An agent that can be looked up: an Agent with exactly one identifier, or an identified Group.
 * For the `agent` parameter of every resource.
 */
export function validateAgent(value: unknown, path: string, rules: Rules): asserts value is Actor {
  checkActor(value, path, undefined, rules)
  if (countOf(value as Json) === 0) fail(path, `must be identified by ${oneOfThem}; a Group without identifier is not`)
}
