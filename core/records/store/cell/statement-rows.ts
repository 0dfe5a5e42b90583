import { hash } from 'node:crypto'
import type { ActivityMention } from '../../xapi/mentions.ts'
import { arrayLiteral } from '../../../process/database/database.ts'
import type { Batch } from './batch.ts'
import type { Entries, Told } from './tell.ts'

/** Parameters of write_statements() without the prefix `p_`, in the order of values(). */
export const columns = {
  request: ['credential', 'version'],
  bytes: ['bytes'],
  statement: [
    'request',
    'game',
    'offset',
    'length',
    'id',
    'actor',
    'verb',
    'activity',
    'registration',
    'target',
    'voids',
    'terms',
  ],
  definition: ['defines', 'defined', 'definition_key', 'definition_offset', 'definition_length'],
  name: ['names', 'named', 'name_key', 'name_offset', 'name_length'],
  attachment: ['attached_to', 'attached', 'attached_offset', 'attached_length'],
  counts: ['erasures', 'definitions'],
  told: ['texts', 'mentions'],
} as const

const noKey = '0'.repeat(32)
/** UTF-16 units of JSON. Longer names and definitions stay in their statement, and out of Person and Activity. */
const longest = { name: 4_096, definition: 256 * 1024 }

/** The arrays of write_statements() as Postgres literals: keys and ids need no escaping; texts are one byte string. */
export function rowsOf(group: readonly Batch[], known: ReadonlySet<string>, newest: Pick<NewestDefinitions, 'is'>) {
  const bodies = textRun()
  const texts = textRun()
  const request = lists(columns.request)
  const session: string[] = []
  const of = lists(columns.statement)
  const defined = lists(columns.definition)
  const named = lists(columns.name)
  const contents = lists(columns.attachment)
  const pairs: string[][] = []
  const defines = definesOf(group)
  const told: { game: number; definitions: Entries; newDefinitions: Entries; names: Entries }[] = []
  let mentions = false
  let before = 0

  for (const [
    index,
    { credential, credentialVersion, session: id = 'NULL', game, prepared, attached = [] },
  ] of group.entries()) {
    request.credential.push(credential)
    request.version.push(credentialVersion)
    session.push(id)
    let { offset } = bodies.add(prepared.bodies)
    for (const statement of prepared.statements) {
      of.request.push(index + 1)
      of.game.push(game)
      of.offset.push(offset)
      of.length.push(statement.length)
      offset += statement.length
      of.id.push(statement.id)
      of.actor.push(statement.actor)
      of.verb.push(statement.verb)
      of.activity.push(statement.activity ?? 'NULL')
      of.registration.push(statement.registration ?? 'NULL')
      of.target.push(statement.target ?? 'NULL')
      of.voids.push(statement.voids ? 't' : 'f')
      of.terms.push(statement.terms.length > 0 ? `"{${statement.terms.join(',')}}"` : 'NULL')
    }
    const seen: string[] = []
    const addText = (
      into: Record<string, Values>,
      owner: string,
      key: string,
      text: string | undefined,
      statements: readonly number[],
    ) => {
      const [ordinals, owners, keys, offsets, lengths] = Object.values(into) as [Values, Values, Values, Values, Values]
      const { offset, length } = text === undefined ? { offset: 'NULL', length: 'NULL' } : texts.add(Buffer.from(text))
      for (const n of statements) {
        ordinals.push(before + n + 1)
        owners.push(owner)
        keys.push(key)
        offsets.push(offset)
        lengths.push(length)
      }
    }
    const first = { definition: defined.defines.length + 1, name: named.names.length + 1 }
    const repeated: ActivityMention[] = []
    for (const mention of prepared.activities) {
      const { key, statements } = mention
      const definition = definitionOf(mention)
      if (definition === undefined) {
        if (known.has(key)) continue
        seen.push(key)
        mentions = true
      } else if (newest.is(key, defines.get(key))) {
        repeated.push(mention)
        continue
      }
      addText(defined, key, definition === undefined ? noKey : keyOf(definition), definition, statements)
    }
    const lastNew = defined.defines.length
    for (const one of repeated) addText(defined, one.key, defines.get(one.key)!, one.definition, one.statements)
    for (const { key, name: given, statements } of prepared.agents) {
      const name = given !== undefined && given.length > longest.name ? undefined : given
      const pair = key + (name ?? '')
      if (known.has(pair)) continue
      seen.push(pair)
      addText(named, key, name === undefined ? noKey : keyOf(name), name, statements)
    }
    told.push({
      game,
      definitions: { first: first.definition, last: defined.defines.length },
      newDefinitions: { first: first.definition, last: lastNew },
      names: { first: first.name, last: named.names.length },
    })
    for (const { statement, attachment, contentType } of attached) {
      const { offset, length } = bodies.add(Buffer.from(contentType))
      contents.attached_to.push(before + statement + 1)
      contents.attached.push(attachment)
      contents.attached_offset.push(offset)
      contents.attached_length.push(length)
    }
    pairs.push(seen)
    before += prepared.statements.length
  }

  return {
    pairs,
    /** Key of the definition, by activity. */
    defines,
    /** Whether the group names an activity that is not known to be stored, without a definition. */
    mentions,
    texts: texts.bytes(),
    /** New definitions and names of each request; the newest definitions again if they may have changed. */
    told: (areNewest: boolean): Told[] =>
      told.map(({ game, definitions, newDefinitions, names }) => ({
        game,
        definitions: areNewest ? newDefinitions : definitions,
        names,
      })),
    sessions: arrayLiteral(session),
    values: () => [
      ...Object.values(request).map(arrayLiteral),
      bodies.bytes(),
      ...[of, defined, named, contents].flatMap((table) => Object.values(table).map(arrayLiteral)),
    ],
  }
}

const definitionOf = ({ definition }: ActivityMention): string | undefined =>
  definition !== undefined && definition.length > longest.definition ? undefined : definition

/** The key of the definition that a group gives an activity, by activity. */
function definesOf(group: readonly Batch[]): Map<string, string> {
  const defines = new Map<string, string>()
  for (const { prepared } of group) {
    for (const mention of prepared.activities) {
      const definition = definitionOf(mention)
      if (definition === undefined) continue
      const key = keyOf(definition)
      defines.set(mention.key, (defines.get(mention.key) ?? key) === key ? key : several)
    }
  }
  return defines
}

const knownTexts = 4_000
const keys = new Map<string, string>()

/** Definitions repeat, so the keys of up to 4,000 short ones are cached. */
function keyOf(text: string): string {
  let key = keys.get(text)
  if (key === undefined) {
    key = hash('sha256', text, 'hex').slice(0, 32)
    if (keys.size >= knownTexts) keys.clear()
    // a copy, because a substring would keep the whole request in memory
    if (text.length <= 1_024) keys.set(Buffer.from(text).toString(), key)
  }
  return key
}

type Values = (string | number)[]

function lists<Name extends string>(names: readonly Name[]): Record<Name, Values> {
  return Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Values>
}

/** Texts in one byte string, to be sent as one value; offset and length count bytes of UTF-8. */
function textRun() {
  const parts: Uint8Array[] = []
  let size = 0
  return {
    add(text: Uint8Array) {
      parts.push(text)
      return { offset: (size += text.byteLength) - text.byteLength, length: text.byteLength }
    },
    bytes: () => Buffer.concat(parts, size),
  }
}

/** The key of an activity's definition if a group gives it several. */
const several = ''
const knownDefinitions = 10_000

interface Defines {
  /** Key of the definition that a group gives, by activity. */
  readonly defines: ReadonlyMap<string, string>
}

export type NewestDefinitions = ReturnType<typeof newestDefinitions>

/**
 * The newest definition of each activity, by its key. While the count of definition changes in Postgres stays the same,
 * a group that repeats these definitions needs no check of them.
 */
export function newestDefinitions() {
  const keys = new Map<string, string>()
  let at: string | undefined
  return {
    is: (activity: string, key: string | undefined): boolean => keys.get(activity) === key,
    isAt: (count: string): boolean => count === at,
    /** The count at which all definitions of the group were the newest; undefined: not all are known to be. */
    countFor({ defines }: Defines): string | undefined {
      for (const [activity, key] of defines) if (keys.get(activity) !== key) return undefined
      return at
    },
    learn({ defines }: Defines, whole: boolean, before: string, after: string): void {
      if (before !== at || keys.size > knownDefinitions) keys.clear()
      at = after
      for (const [activity, key] of defines) {
        if (whole && key !== several) keys.set(activity, key)
        else keys.delete(activity)
      }
    },
  }
}
