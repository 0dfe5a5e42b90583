import { elementsOf, isJson, membersOf } from './json-spans.ts'

/** What is repaired, in words. */
export const kinds = {
  id: 'a statement got an id',
  actor: 'a name became an account',
  iri: 'an id became an IRI',
  extension: 'the key of an extension became an IRI',
  boolean: 'a text became true or false',
  number: 'a text became a number',
  timestamp: 'a time became a timestamp with a zone',
}

export interface Repair {
  readonly kind: keyof typeof kinds
  /** Where, as core names it. */
  readonly path: string
  /** JSON. */
  readonly from: string
  readonly to: string
}

export interface RepairOptions {
  /** Of the accounts that are made of names; IRIs that are made of ids begin with it. */
  readonly homePage: string
  /** What keys of extensions that are no IRIs get before them. */
  readonly extensionPrefix: string
}

/** A part of the statement, and what takes its place. */
interface Edit extends Repair {
  readonly span: Uint8Array
  readonly by: string
}
type Rule = (value: Uint8Array, path: string, edits: Edit[]) => void

const [openObject, openList, quote] = Buffer.from('{["')
const textOf = (json: Uint8Array): string => Buffer.from(json).toString()

/** Makes another JSON of a text; undefined: the text is right, or it is not clear what it means. */
const text =
  (kind: Repair['kind'], jsonOf: (text: string) => string | undefined): Rule =>
  (value, path, edits) => {
    if (value[0] !== quote) return
    const from = textOf(value)
    const by = jsonOf(JSON.parse(from) as string)
    if (by !== undefined && by !== from) edits.push({ kind, path, from, to: by, span: value, by })
  }

const inside =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (value, path, edits) => {
    if (value[0] !== openObject) return
    for (const member of membersOf(value))
      if (Object.hasOwn(rules, member.key))
        rules[member.key]!(member.value, path === '' ? member.key : `${path}.${member.key}`, edits)
  }
const each =
  (rule: Rule): Rule =>
  (value, path, edits) => {
    if (value[0] !== openList) return rule(value, path, edits)
    for (const [index, element] of elementsOf(value).entries()) rule(element, `${path}[${index}]`, edits)
  }

const boolean = text('boolean', (text) => (/^(?:true|false)$/i.test(text) ? text.toLowerCase() : undefined))

/** As JSON writes numbers: of `1,5` and `007` it is not clear what they mean. */
const number = text('number', (text) => (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? text : undefined))

const loose = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d)?)?$/
const timestamp = text('timestamp', (text) => {
  const [, day, time = '00:00:00', zone = 'Z'] = loose.exec(text) ?? []
  return day && JSON.stringify(`${day}T${time}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`)
})

/** `www.` and `//` may be the address of something. What has a scheme is an IRI, or core says what is wrong with it. */
const isUnclear = /^(?:$|\/\/|www\.|[A-Za-z][A-Za-z0-9+.-]*:)/i
/** Different names give different IRIs. */
function iriOf(prefix: string, name: string): string | undefined {
  if (isUnclear.test(name) || !name.isWellFormed()) return undefined
  return prefix + name.replaceAll(/[^\p{L}\p{M}\p{N}._~!$&'()*+,;=@/-]/gu, encodeURIComponent)
}

const identifiers = ['mbox', 'mbox_sha1sum', 'openid', 'account', 'member']

/** The function that repairs what is clear in a statement, and leaves all other bytes and faults as they are. */
export function repairer({ homePage, extensionPrefix }: RepairOptions) {
  const base = homePage.replace(/\/?$/, '/')
  const iri = (kind: string) =>
    text('iri', (name) => {
      const made = iriOf(`${base}${kind}/`, name)
      return made && JSON.stringify(made)
    })

  const agent: Rule = (value, path, edits) => {
    if (value[0] !== openObject) return
    const list = [...membersOf(value)]
    const name = list.find(({ key }) => key === 'name')?.value
    if (name === undefined || name[0] !== quote || list.some(({ key }) => identifiers.includes(key))) return
    const from = textOf(name)
    if ((JSON.parse(from) as string).trim() === '') return
    const to = `{"homePage":${JSON.stringify(homePage)},"name":${from}}`
    edits.push({ kind: 'actor', path, from, to, span: value.subarray(0, 1), by: `{"account":${to},` })
  }
  const members = inside({ member: each(agent) })
  const actor: Rule = (...given) => {
    agent(...given)
    members(...given)
  }

  const extensions: Rule = (value, path, edits) => {
    if (value[0] !== openObject) return
    const list = [...membersOf(value)]
    const taken = new Set(list.map(({ key }) => key))
    for (const { key, name } of list) {
      const iri = iriOf(extensionPrefix, key)
      if (iri === undefined || taken.has(iri)) continue
      const shown = JSON.stringify(key.length > 100 ? `${key.slice(0, 99)}…` : key)
      const by = JSON.stringify(iri)
      edits.push({ kind: 'extension', path: `${path}[${shown}]`, from: textOf(name), to: by, span: name, by })
    }
  }

  const activity = inside({ id: iri('activities'), definition: inside({ type: iri('activity-types'), extensions }) })
  const activities = each(activity)
  const objectOf =
    (kinds: Readonly<Record<string, Rule>>): Rule =>
    (value, path, edits) => {
      if (value[0] !== openObject) return
      const type = [...membersOf(value)].find(({ key }) => key === 'objectType')?.value
      const kind: unknown = type === undefined ? 'Activity' : JSON.parse(textOf(type))
      if (typeof kind === 'string' && Object.hasOwn(kinds, kind)) kinds[kind]!(value, path, edits)
    }
  const objects = { Activity: activity, Agent: agent, Group: actor }
  const shared = {
    actor,
    verb: inside({ id: iri('verbs') }),
    result: inside({
      score: inside({ scaled: number, raw: number, min: number, max: number }),
      success: boolean,
      completion: boolean,
      extensions,
    }),
    context: inside({
      instructor: actor,
      team: actor,
      contextActivities: inside({ parent: activities, grouping: activities, category: activities, other: activities }),
      contextAgents: each(inside({ agent })),
      contextGroups: each(inside({ group: actor })),
      extensions,
    }),
    timestamp,
  }
  const subStatement = inside({ ...shared, object: objectOf(objects) })
  const whole = inside({
    ...shared,
    object: objectOf({ ...objects, SubStatement: subStatement }),
    authority: actor,
    stored: timestamp,
  })

  return (statement: Uint8Array): { statement: Uint8Array; repairs: readonly Repair[] } => {
    const edits: Edit[] = []
    if (isJson(statement)) whole(statement, '', edits)
    return {
      statement: edits.length === 0 ? statement : edited(statement, edits),
      repairs: edits.map(({ kind, path, from, to }) => ({ kind, path, from, to })),
    }
  }
}

function edited(statement: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const parts: Uint8Array[] = []
  let at = 0
  for (const { span, by } of edits.toSorted((a, b) => a.span.byteOffset - b.span.byteOffset)) {
    const start = span.byteOffset - statement.byteOffset
    parts.push(statement.subarray(at, start), Buffer.from(by))
    at = start + span.length
  }
  return Buffer.concat([...parts, statement.subarray(at)])
}
