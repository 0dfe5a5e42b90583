import { checkActivity } from './activity.ts'
import { checkActor, checkAgent, checkAuthority, checkGroup } from './agent.ts'
import { checkAttachments } from './attachment.ts'
import { at, checkObject, fail, unknown, wrong } from './check.ts'
import type { Json } from './check.ts'
import { checkContext } from './context.ts'
import type { Rules } from './dialect.ts'
import { checkResult } from './result.ts'
import { checkStatementRef } from './statement-ref.ts'
import { isTimestamp } from './timestamp.ts'
import type { Statement } from './types.ts'
import { checkUuid } from './uuid.ts'
import { checkVerb, voided } from './verb.ts'

export { validateAgent } from './agent.ts'

const shared = 'actor, verb, object, result, context, timestamp, attachments'
const ownOnly = 'id, stored, authority and version'
const types = '"Activity", "Agent", "Group", "StatementRef" or "SubStatement"'

/**
 * Checks one parsed statement against the rules of its version (xAPI Data 2, IEEE 9274.1.1 4.2).
 * @param value what JSON.parse gave
 * @param path where it stands in the input, such as `statements[3]`; paths of errors go on from there
 * @param ignoreActor the actor comes from elsewhere (a launch token): whatever the client sent, or did not, is no error
 * @throws Problem at the first thing that is wrong
 */
export function validateStatement(
  value: unknown,
  path: string,
  rules: Rules,
  ignoreActor = false,
): asserts value is Statement {
  checkObject(value, path, 'a Statement')
  for (const key in value) {
    switch (key) {
      case 'id':
        checkUuid(value[key], path, key)
        break
      case 'actor':
        if (!ignoreActor) checkActor(value[key], at(path, key))
        break
      case 'stored':
        checkTimestamp(value[key], at(path, key))
        break
      case 'authority':
        checkAuthority(value[key], at(path, key))
        break
      case 'version':
        checkVersion(value[key], at(path, key), rules)
        break
      default:
        if (!checkShared(value, path, key, rules)) unknown(path, key, 'a Statement', `${shared}, ${ownOnly}`)
    }
  }
  if (!ignoreActor) need(value, path, 'actor', 'an Agent or Group')
  need(value, path, 'verb', 'a Verb')
  need(value, path, 'object', 'an object')
  if ((value['verb'] as Json)['id'] === voided && (value['object'] as Json)['objectType'] !== 'StatementRef') {
    fail(at(path, 'object'), 'must be a StatementRef: the verb of the statement is "voided"')
  }
}

/** A statement inside a statement: without id, stored, version and authority, and without another one inside. */
function checkSubStatement(value: Json, path: string, rules: Rules): void {
  for (const key in value) {
    if (key === 'actor') checkActor(value[key], at(path, key))
    else if (key === 'object' && isObject(value[key]) && value[key]['objectType'] === 'SubStatement') {
      fail(at(at(path, key), 'objectType'), 'must not be "SubStatement": a SubStatement cannot contain another one')
    } else if (key !== 'objectType' && !checkShared(value, path, key, rules)) {
      unknown(path, key, 'a SubStatement', `${shared} and objectType`)
    }
  }
  need(value, path, 'actor', 'an Agent or Group')
  need(value, path, 'verb', 'a Verb')
  need(value, path, 'object', 'an object')
}

/** Checks the property if Statements and SubStatements have it alike and says whether it is one. */
function checkShared(value: Json, path: string, key: string, rules: Rules): boolean {
  switch (key) {
    case 'verb':
      checkVerb(value[key], at(path, key))
      return true
    case 'object':
      checkStatementObject(value[key], at(path, key), rules)
      return true
    case 'result':
      checkResult(value[key], at(path, key))
      return true
    case 'context':
      checkContext(value[key], at(path, key), rules, isActivity(value['object']))
      return true
    case 'timestamp':
      checkTimestamp(value[key], at(path, key))
      return true
    case 'attachments':
      checkAttachments(value[key], at(path, key))
      return true
    default:
      return false
  }
}

function checkStatementObject(value: unknown, path: string, rules: Rules): void {
  checkObject(value, path, 'an Activity, Agent, Group, StatementRef or SubStatement')
  switch (value['objectType']) {
    case undefined:
      if (value['id'] === undefined && !('definition' in value)) {
        fail(path, `must be an Activity with an id; any other object needs its objectType: ${types}`)
      }
      return checkActivity(value, path)
    case 'Activity':
      return checkActivity(value, path)
    case 'Agent':
      return checkAgent(value, path)
    case 'Group':
      return checkGroup(value, path)
    case 'StatementRef':
      return checkStatementRef(value, path)
    case 'SubStatement':
      return checkSubStatement(value, path, rules)
    default:
      wrong(value['objectType'], at(path, 'objectType'), types)
  }
}

function checkTimestamp(value: unknown, path: string): void {
  if (typeof value !== 'string' || !isTimestamp(value)) {
    wrong(value, path, 'a timestamp of RFC 3339 such as "2026-11-21T14:05:09.123Z" (an offset of "-00:00" is refused)')
  }
}

function checkVersion(value: unknown, path: string, rules: Rules): void {
  if (typeof value !== 'string' || !rules.statementVersions.test(value)) {
    wrong(value, path, `a version that goes with ${rules.version}, such as "${rules.statementVersion}"`)
  }
}

function need(value: Json, path: string, key: string, expected: string): void {
  if (value[key] === undefined) fail(at(path, key), `is missing: must be ${expected}`)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

function isActivity(value: unknown): boolean {
  return isObject(value) && (value['objectType'] === undefined || value['objectType'] === 'Activity')
}
