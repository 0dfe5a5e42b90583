import {
  checkActor,
  checkAgent,
  checkAgentProperties,
  checkAuthority,
  checkGroup,
  checkGroupProperties,
} from './agent.ts'
import type { Rules } from './dialect.ts'
import { isDuration } from './duration.ts'
import { checkInteraction, interactionProperties } from './interaction.ts'
import type { Score, Statement } from './types.ts'
import {
  arrayOf,
  at,
  checkBoolean,
  checkExtensions,
  checkIri,
  checkLanguageMap,
  checkLanguageTag,
  checkNumber,
  checkObject,
  checkString,
  checkTimestamp,
  checkUuid,
  fail,
  isIri,
  objectOf,
  only,
  propertiesOf,
  textOf,
  valueOf,
  wrong,
  type Check,
  type CheckObject,
  type Json,
} from './values.ts'
import { say } from '../../../shared/say.ts'

/** The verb of a statement that voids the one it refers to. */
export const voided = 'http://adlnet.gov/expapi/verbs/voided'

/** What was done: an IRI and its names (xAPI Data 2.4.3). */
const checkVerb = objectOf(
  'a Verb',
  { id: checkIri, display: checkLanguageMap },
  { needs: { id: 'a Verb needs an IRI' } },
)

const checkDefinition = objectOf(
  'an Activity definition',
  {
    name: checkLanguageMap,
    description: checkLanguageMap,
    type: checkIri,
    moreInfo: checkIri,
    extensions: checkExtensions,
    ...interactionProperties,
  },
  { names: 'name, description, type, moreInfo, extensions and those of interactions', whole: checkInteraction },
)

/** Something to do, named by an IRI (xAPI Data 2.4.4.1); an object without objectType is one. */
const activity = {
  properties: { objectType: only('Activity'), id: checkIri, definition: checkDefinition },
  more: { needs: { id: 'an Activity needs an IRI' } },
}
const checkActivityProperties = propertiesOf('an Activity', activity.properties, activity.more)
const checkActivity = objectOf('an Activity', activity.properties, activity.more)

/** A pointer to another statement, stored or not (xAPI Data 2.4.4.3). */
const reference = {
  properties: { objectType: only('StatementRef'), id: checkUuid },
  more: { needs: { objectType: 'must be "StatementRef"', id: 'a StatementRef needs the UUID of a statement' } },
}
const checkReferenceProperties = propertiesOf('a StatementRef', reference.properties, reference.more)
const checkReference = objectOf('a StatementRef', reference.properties, reference.more)

const checkScore = objectOf(
  'a Score',
  { scaled: checkNumber, raw: checkNumber, min: checkNumber, max: checkNumber },
  {
    whole(value, path, { equalMinAndMax }) {
      const { scaled, raw, min, max } = value as Score
      if (scaled !== undefined && (scaled < -1 || scaled > 1)) {
        fail(at(path, 'scaled'), say`must be between -1 and 1, not ${scaled}`)
      }
      if (min !== undefined && max !== undefined && (min > max || (min === max && !equalMinAndMax))) {
        fail(at(path, 'min'), say`must be less than max (${max}), not ${min}`)
      }
      if (raw === undefined) return
      if (min !== undefined && raw < min) fail(at(path, 'raw'), say`must be at least min (${min}), not ${raw}`)
      if (max !== undefined && raw > max) fail(at(path, 'raw'), say`must be at most max (${max}), not ${raw}`)
    },
  },
)

/** A result (xAPI Data 2.4.5). */
const checkResult = objectOf('a Result', {
  score: checkScore,
  success: checkBoolean,
  completion: checkBoolean,
  response: checkString,
  duration: textOf(isDuration, 'an ISO 8601 duration such as "PT1H30M5.2S" (weeks stand alone: "P4W")'),
  extensions: checkExtensions,
})

const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;[\t\x20-\x7e]*)?$/
const sha2 = /^(?:[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i
const attachmentNeeds = ['usageType', 'display', 'contentType', 'length', 'sha2']

/** The description of an attachment (xAPI Data 2.4.11). Its content comes in the same request or is at fileUrl. */
const checkAttachment = objectOf(
  'an attachment',
  {
    usageType: checkIri,
    display: checkLanguageMap,
    description: checkLanguageMap,
    contentType: textOf((text) => mediaType.test(text), 'a media type such as "image/png"'),
    // octets; not compared with the content, because the conformance suite declares wrong lengths
    length: valueOf((n) => Number.isInteger(n) && (n as number) >= 0, 'a number of octets (a whole number)'),
    sha2: textOf((text) => sha2.test(text), 'a SHA-2 hash in hexadecimal digits (SHA-256: 64 of them)'),
    fileUrl: checkIri,
  },
  {
    needs: Object.fromEntries(attachmentNeeds.map((key) => [key, `an attachment needs ${attachmentNeeds.join(', ')}`])),
  },
)

const checkActivities = arrayOf(checkActivity, 'Activities')
const checkOneOrMore: Check = (value, path, key, rules) =>
  (Array.isArray(value) ? checkActivities : checkActivity)(value, path, key, rules)

const checkTypes = arrayOf(textOf(isIri, 'an absolute IRI of an Activity type'), 'IRIs')
const checkRelevantTypes: Check = (value, path, key, rules) => {
  if (Array.isArray(value) && value.length === 0)
    fail(at(path, key), 'must not be empty: give at least one IRI or leave the property out')
  checkTypes(value, path, key, rules)
}

/** contextAgents or contextGroups, which 2.0 added: actors and the Activity types that tell their role. */
function relevant(who: 'agent' | 'group', check: Check): Check {
  const type = who === 'agent' ? 'contextAgent' : 'contextGroup'
  const checkAll = arrayOf(
    objectOf(
      `a ${type}`,
      { objectType: only(type), [who]: check, relevantTypes: checkRelevantTypes },
      { needs: { objectType: `must be "${type}"`, [who]: `a ${type} needs it` } },
    ),
    `${type} objects`,
  )
  return (value, path, key, rules) => {
    if (!rules.contextAgents) fail(at(path, key), `is a property of xAPI 2.0, not of ${rules.version}`)
    checkAll(value, path, key, rules)
  }
}

/** The circumstances (xAPI Data 2.4.6, IEEE 9274.1.1 4.2.2.5), where some properties have this check. */
const contextOf = (ofActivities: Check) =>
  objectOf(
    'a Context',
    {
      registration: checkUuid,
      instructor: checkActor,
      team: checkGroup,
      contextActivities: objectOf(
        'contextActivities',
        { parent: checkOneOrMore, grouping: checkOneOrMore, category: checkOneOrMore, other: checkOneOrMore },
        { expected: 'a map of parent, grouping, category or other to Activities' },
      ),
      revision: ofActivities,
      platform: ofActivities,
      language: checkLanguageTag,
      statement: checkReference,
      extensions: checkExtensions,
      contextAgents: relevant('agent', checkAgent),
      contextGroups: relevant('group', checkGroup),
    },
    {
      names:
        'registration, instructor, team, contextActivities, revision, platform, language, statement and extensions',
    },
  )
const checkContextOfActivity = contextOf(checkString)
const checkContextOfOther = contextOf((value, path, key, rules) => {
  checkString(value, path, key, rules)
  fail(at(path, key), 'is only allowed when the object of the statement is an Activity')
})
const checkContext: Check = (value, path, key, rules, around) =>
  (isActivity(around!['object']) ? checkContextOfActivity : checkContextOfOther)(value, path, key, rules)

/** What Statements and SubStatements have alike. */
const shared: Record<string, Check> = {
  actor: checkActor,
  verb: checkVerb,
  object: checkStatementObject,
  result: checkResult,
  context: checkContext,
  timestamp: checkTimestamp,
  attachments: arrayOf(checkAttachment, 'attachments'),
}
const needs = { actor: 'must be an Agent or Group', verb: 'must be a Verb', object: 'must be an object' }

/** A statement inside a statement: without id, stored, version and authority, and without another one inside. */
const checkSubStatement = propertiesOf(
  'a SubStatement',
  {
    ...shared,
    object(value, path, key, rules) {
      if (isObject(value) && value['objectType'] === 'SubStatement') {
        const where = at(at(path, key), 'objectType')
        fail(where, 'must not be "SubStatement": a SubStatement cannot contain another one')
      }
      checkStatementObject(value, path, key, rules)
    },
    objectType: () => {},
  },
  { needs },
)

const kinds = new Map<unknown, CheckObject>([
  [undefined, checkActivityProperties],
  ['Activity', checkActivityProperties],
  ['Agent', checkAgentProperties],
  ['Group', checkGroupProperties],
  ['StatementRef', checkReferenceProperties],
  ['SubStatement', checkSubStatement],
])
const types = '"Activity", "Agent", "Group", "StatementRef" or "SubStatement"'

function checkStatementObject(value: unknown, path: string, key: string | number | undefined, rules: Rules): void {
  const here = at(path, key)
  checkObject(value, here, 'an Activity, Agent, Group, StatementRef or SubStatement')
  const type = value['objectType']
  if (type === undefined && value['id'] === undefined && !('definition' in value)) {
    fail(here, `must be an Activity with an id; any other object needs its objectType: ${types}`)
  }
  const check = kinds.get(type)
  if (!check) wrong(type, at(here, 'objectType'), types)
  check(value, here, rules)
}

const checkStatement = objectOf(
  'a Statement',
  {
    ...shared,
    id: checkUuid,
    stored: checkTimestamp,
    authority: checkAuthority,
    version(value, path, key, rules) {
      if (typeof value !== 'string' || !rules.statementVersions.test(value)) {
        wrong(value, at(path, key), `a version that goes with ${rules.version}, such as "${rules.statementVersion}"`)
      }
    },
  },
  {
    needs,
    whole({ verb, object }, path) {
      if ((verb as Json)['id'] === voided && (object as Json)['objectType'] !== 'StatementRef') {
        fail(at(path, 'object'), 'must be a StatementRef: the verb of the statement is "voided"')
      }
    },
  },
)

/**
 * Checks one parsed statement against the rules of its version (xAPI Data 2, IEEE 9274.1.1 4.2).
 * @param value what JSON.parse gave
 * @param path where it stands in the input, such as `statements[3]`; paths of errors go on from there
 * @throws Problem at the first thing that is wrong
 */
export function validateStatement(value: unknown, path: string, rules: Rules): asserts value is Statement {
  checkStatement(value, path, undefined, rules)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

function isActivity(value: unknown): boolean {
  return isObject(value) && (value['objectType'] === undefined || value['objectType'] === 'Activity')
}
