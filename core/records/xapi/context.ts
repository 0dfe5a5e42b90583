import { checkActivity } from './activity.ts'
import { checkActor, checkAgent, checkGroup } from './agent.ts'
import { at, checkArray, checkObject, checkString, fail, unknown, within, wrong } from './check.ts'
import type { Json } from './check.ts'
import type { Rules } from './dialect.ts'
import { checkExtensions } from './extensions.ts'
import { isIri } from './iri.ts'
import { notTag } from './language-map.ts'
import { isLanguageTag } from './language-tag.ts'
import { checkStatementRef } from './statement-ref.ts'
import type { Context } from './types.ts'
import { checkUuid } from './uuid.ts'

const properties =
  'registration, instructor, team, contextActivities, revision, platform, language, statement and extensions'

/**
 * The circumstances (xAPI Data 2.4.6, IEEE 9274.1.1 4.2.2.5).
 * @param onActivity whether the statement's object is an Activity: only then are revision and platform allowed
 */
export function checkContext(
  value: unknown,
  path: string,
  rules: Rules,
  onActivity: boolean,
): asserts value is Context {
  checkObject(value, path, 'a Context')
  for (const key in value) {
    switch (key) {
      case 'registration':
        checkUuid(value[key], path, key)
        break
      case 'instructor':
        checkActor(value[key], at(path, key))
        break
      case 'team':
        checkGroup(value[key], at(path, key))
        break
      case 'contextActivities':
        checkContextActivities(value[key], at(path, key))
        break
      case 'revision':
      case 'platform':
        checkString(value[key], path, key)
        if (!onActivity) fail(at(path, key), 'is only allowed when the object of the statement is an Activity')
        break
      case 'language':
        checkString(value[key], path, key)
        if (!isLanguageTag(value[key])) fail(at(path, key), notTag(value[key]))
        break
      case 'statement':
        checkStatementRef(value[key], at(path, key))
        break
      case 'extensions':
        checkExtensions(value[key], path)
        break
      default:
        checkAddition(value, path, key, rules)
    }
  }
}

/** The properties that 2.0 added. */
function checkAddition(context: Json, path: string, key: string, rules: Rules): void {
  if (key !== 'contextAgents' && key !== 'contextGroups') unknown(path, key, 'a Context', properties)
  if (!rules.contextAgents) fail(at(path, key), `is a property of xAPI 2.0, not of ${rules.version}`)
  const list = context[key]
  checkArray(list, at(path, key), `${key.slice(0, -1)} objects`)
  const who = key === 'contextAgents' ? 'agent' : 'group'
  for (let i = 0; i < list.length; i++) checkRelevant(list[i], within(at(path, key), i), who)
}

/** A contextAgent or contextGroup: an actor and the Activity types that tell its role. */
function checkRelevant(value: unknown, path: string, who: 'agent' | 'group'): void {
  const type = who === 'agent' ? 'contextAgent' : 'contextGroup'
  checkObject(value, path, `a ${type}`)
  for (const key in value) {
    if (key === 'relevantTypes') checkRelevantTypes(value[key], at(path, key))
    else if (key === 'objectType') {
      if (value[key] !== type) wrong(value[key], at(path, key), `"${type}"`)
    } else if (key !== who) unknown(path, key, `a ${type}`, `objectType, ${who} and relevantTypes`)
    else if (who === 'agent') checkAgent(value[key], at(path, key))
    else checkGroup(value[key], at(path, key))
  }
  if (value['objectType'] === undefined) fail(at(path, 'objectType'), `is missing: must be "${type}"`)
  if (value[who] === undefined) fail(at(path, who), `is missing: a ${type} needs it`)
}

function checkRelevantTypes(value: unknown, path: string): void {
  checkArray(value, path, 'IRIs')
  if (value.length === 0) fail(path, 'must not be empty: give at least one IRI or leave the property out')
  for (let i = 0; i < value.length; i++) {
    const type = value[i]
    if (typeof type !== 'string' || !isIri(type)) wrong(type, within(path, i), 'an absolute IRI of an Activity type')
  }
}

function checkContextActivities(value: unknown, path: string): void {
  checkObject(value, path, 'a map of parent, grouping, category or other to Activities')
  for (const key in value) {
    if (key !== 'parent' && key !== 'grouping' && key !== 'category' && key !== 'other') {
      unknown(path, key, 'contextActivities', 'parent, grouping, category and other')
    }
    const list = value[key]
    if (Array.isArray(list)) {
      for (let i = 0; i < list.length; i++) checkActivity(list[i], within(at(path, key), i))
    } else checkActivity(list, at(path, key))
  }
}
