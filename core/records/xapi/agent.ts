import { at, checkArray, checkObject, checkString, fail, unknown, within, wrong } from './check.ts'
import type { Json } from './check.ts'
import type { Rules } from './dialect.ts'
import { checkIri, isMailto } from './iri.ts'
import type { Actor, Agent, Group } from './types.ts'

const sha1 = /^[0-9a-f]{40}$/i
const identifiers = 'mbox, mbox_sha1sum, openid or account'

/**
 * An agent that can be looked up: an Agent with exactly one identifier, or an identified Group.
 * For the `agent` parameter of every resource.
 */
export function validateAgent(value: unknown, path: string, _rules: Rules): asserts value is Actor {
  checkActor(value, path)
  if (isAnonymous(value)) fail(path, `must be identified by one of ${identifiers}; a Group without identifier is not`)
}

/** An Agent or a Group, told apart by objectType (xAPI Data 2.4.2). */
export function checkActor(value: unknown, path: string): asserts value is Actor {
  checkObject(value, path, 'an Agent or Group')
  const type = value['objectType']
  if (type === 'Group') return group(value, path)
  if (type !== undefined && type !== 'Agent') wrong(type, at(path, 'objectType'), '"Agent" or "Group"')
  agent(value, path)
}

/** An Agent; its objectType may be missing. */
export function checkAgent(value: unknown, path: string): asserts value is Agent {
  checkObject(value, path, 'an Agent')
  const type = value['objectType']
  if (type !== undefined && type !== 'Agent') wrong(type, at(path, 'objectType'), '"Agent"')
  agent(value, path)
}

/** A Group, identified or with members; its objectType must be there. */
export function checkGroup(value: unknown, path: string): asserts value is Group {
  checkObject(value, path, 'a Group')
  const type = value['objectType']
  if (type === undefined) fail(at(path, 'objectType'), 'is missing: a Group needs the objectType "Group"')
  if (type !== 'Group') wrong(type, at(path, 'objectType'), '"Group"')
  group(value, path)
}

/** Who vouches for a statement: an Agent, or (three-legged OAuth) an anonymous Group of two (xAPI Data 2.4.9). */
export function checkAuthority(value: unknown, path: string): asserts value is Actor {
  checkActor(value, path)
  if (value.objectType !== 'Group') return
  if (!isAnonymous(value)) fail(path, 'must be an Agent, or a Group of two Agents without an identifier of its own')
  const count = value.member?.length ?? 0
  if (count !== 2) fail(at(path, 'member'), `must be exactly two Agents (application and user), not ${count}`)
}

function isAnonymous(value: Actor): boolean {
  const { mbox, mbox_sha1sum, openid, account } = value
  return mbox === undefined && mbox_sha1sum === undefined && openid === undefined && account === undefined
}

function agent(value: Json, path: string): void {
  let count = 0
  for (const key in value) {
    if (checkIdentifier(value[key], path, key)) count++
    else if (!checkName(value[key], path, key)) {
      unknown(path, key, 'an Agent', 'objectType, name, mbox, mbox_sha1sum, openid and account')
    }
  }
  if (count !== 1) fail(path, `needs exactly one of ${identifiers}, but has ${count || 'none'}`)
}

function group(value: Json, path: string): void {
  let count = 0
  for (const key in value) {
    if (checkIdentifier(value[key], path, key)) count++
    else if (key === 'member') checkMembers(value[key], at(path, key))
    else if (!checkName(value[key], path, key)) {
      unknown(path, key, 'a Group', 'objectType, name, member, mbox, mbox_sha1sum, openid and account')
    }
  }
  if (count > 1) fail(path, `needs at most one of ${identifiers}, but has ${count}`)
  if (count === 0 && !(value['member'] as unknown[] | undefined)?.length) {
    fail(at(path, 'member'), `is missing or empty: a Group without ${identifiers} needs its members`)
  }
}

function checkMembers(value: unknown, path: string): void {
  checkArray(value, path, 'Agents')
  for (let i = 0; i < value.length; i++) checkAgent(value[i], within(path, i))
}

function checkName(value: unknown, path: string, key: string): boolean {
  if (key === 'name') checkString(value, path, key)
  return key === 'name' || key === 'objectType'
}

/** Checks the property if it is one of the four identifiers (xAPI Data 2.4.2.3) and says whether it is. */
function checkIdentifier(value: unknown, path: string, key: string): boolean {
  switch (key) {
    case 'mbox':
      if (typeof value !== 'string' || !isMailto(value)) {
        wrong(value, at(path, key), 'a mailto IRI such as "mailto:ann@example.org"')
      }
      return true
    case 'mbox_sha1sum':
      if (typeof value !== 'string' || !sha1.test(value)) {
        wrong(value, at(path, key), 'the SHA-1 of a mailto IRI in 40 hexadecimal digits')
      }
      return true
    case 'openid':
      checkIri(value, path, key)
      return true
    case 'account':
      checkAccount(value, at(path, key))
      return true
    default:
      return false
  }
}

function checkAccount(value: unknown, path: string): void {
  checkObject(value, path, 'an account with homePage and name')
  for (const key in value) {
    if (key === 'homePage') checkIri(value[key], path, key)
    else if (key === 'name') checkString(value[key], path, key)
    else unknown(path, key, 'an account', 'homePage and name')
  }
  if (value['homePage'] === undefined) fail(at(path, 'homePage'), 'is missing: an account needs the IRI of its system')
  if (value['name'] === undefined) fail(at(path, 'name'), 'is missing: an account needs its name in that system')
}
