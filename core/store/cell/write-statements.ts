import { hash } from 'node:crypto'
import type { Prepared } from '../../xapi/prepare.ts'
import { arrayLiteral } from '../array-literal.ts'
import type { Database } from '../database.ts'
import { versionOf } from './current.ts'
import { isErased } from '../store-failure.ts'
import type { Watermark } from './watermark.ts'

/** The credential under which a request was accepted, as it was when it was looked up. */
export interface Credentialed {
  readonly credential: number
  readonly credentialVersion: number
  readonly game: number
  /** The cell of the game, as it was then: a move changes the version, too. */
  readonly cell: number
  /** UUID of the session of its launch token. */
  readonly session?: string
}

/** A stored content that came with a statement. */
export interface Attached {
  /** Index of the statement in the batch. */
  readonly statement: number
  /** Id of the content: in a cell its own, outside also with the number of the cell (cells/attachments.ts). */
  readonly attachment: number
  readonly contentType: string
}

/** The statements of one request. */
export interface Batch extends Credentialed {
  readonly prepared: Prepared
  readonly attached?: readonly Attached[]
}

/**
 * The outcome of the batch at the same index of the group. 'stale': its credential has changed since. 'overlinked': its
 * StatementRefs and those of earlier batches would make more links than one transaction may.
 */
export type Outcome = { stored: number[]; skipped: number } | 'stale' | 'overlinked'

/** Parameters of write_statements() without the prefix `p_`, in the order of values(). */
const columns = {
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
} as const
type Column = (typeof columns)[keyof typeof columns][number]
const parameters: readonly Column[] = Object.values(columns).flat()
const at = (column: Column) => `$${parameters.indexOf(column) + 1}`
/** Named arguments, so that no two can be swapped. */
const given = (names: readonly Column[]) => names.map((name) => `p_${name} => ${at(name)}`).join(', ')

const counted = ['request', 'game', 'id', 'activity', 'registration', 'target', 'terms'] as const
const ofRequests = columns.request as readonly Column[]
const sessions = `$${parameters.length + 1}`

/** From one place in the order to the next: there are 16 cells, each with places of its own (docs/adr/0019). */
const step = 16

// Links are counted before write_statements() takes the lock. It stores nothing for a request without a credential.
const storeStatements = {
  name: 'store_statements',
  text: `with o as materialized (select overlinked(${given(counted)}) as requests)
    select base, inserted, stale, o.requests as overlinked, erasures, definitions_before, definitions
    from o cross join lateral write_statements(
      p_credential => case when cardinality(o.requests) = 0 then ${at('credential')}::int[] else array(
        select case when n <> all (o.requests) then c end
        from unnest(${at('credential')}::int[]) with ordinality u (c, n) order by n) end,
      p_version => array(
        select ${versionOf('r.version', 'r.session')}
        from unnest(${at('version')}::int[], ${sessions}::uuid[]) r (version, session)),
      ${given(parameters.filter((name) => !ofRequests.includes(name)))}, p_step => ${step})`,
}

const noKey = '0'.repeat(32)
const knownPairs = 50_000
const knownDefinitions = 10_000
/** UTF-16 units of JSON. Longer names and definitions stay in their statement, and out of Person and Activity. */
const longest = { name: 4_096, definition: 256 * 1024 }

/** Writes groups of batches: one round trip and one commit for all of them, whatever their size. */
export function statementWriter(database: Database, watermark: Watermark) {
  // Pairs (agent, name) and activities that are known to be stored, so they need not be sent again. Only the erasure of
  // a learner deletes them.
  const known = new Set<string>()
  let erasures: string | undefined
  const newest = newestDefinitions()
  interface Row {
    base: string
    inserted: number[]
    stale: number[]
    overlinked: number[]
    erasures: string
    definitions_before: string
    definitions: string
  }

  /** Leaves out what is known to be stored. If something was erased since, sends everything in a second attempt. */
  async function storeRows(group: readonly Batch[]): Promise<{ rows: Rows; row: Row }> {
    for (;;) {
      const rows = rowsOf(group, known)
      try {
        const values = [...rows.values(), erasures ?? null, newest.countFor(rows) ?? null, rows.sessions]
        const [row] = await database.run<Row & Record<string, unknown>>(storeStatements, values)
        erasures = row!.erasures
        return { rows, row: row! }
      } catch (error) {
        if (!isErased(error)) throw error
        known.clear()
        erasures = undefined
      }
    }
  }

  const listeners = new Set<(games: ReadonlySet<number>) => void>()

  return {
    /** Calls `listener` with the games of each commit of this core that stored something; returns how to stop that. */
    onCommit(listener: (games: ReadonlySet<number>) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    async store(group: readonly Batch[]): Promise<Outcome[]> {
      const { rows, row } = await storeRows(group)
      if (known.size > knownPairs) known.clear()
      const { inserted, stale, overlinked } = row
      const isNew = new Set(inserted)
      const base = Number(row.base)
      const count = group.reduce((sum, { prepared }) => sum + prepared.statements.length, 0)
      watermark.learn(base + count * step)
      newest.learn(rows, inserted.length === count, row.definitions_before, row.definitions)
      if (inserted.length > 0 && listeners.size > 0) {
        const games = new Set(group.map(({ game }) => game))
        for (const listener of listeners) listener(games)
      }
      let ordinal = 0
      return group.map(({ prepared }, index) => {
        const stored: number[] = []
        for (const _ of prepared.statements) if (isNew.has(++ordinal)) stored.push(base + ordinal * step)
        // checked first: its credential was left out, so it is among the stale ones, too
        if (overlinked.includes(index + 1)) return 'overlinked'
        if (stale.includes(index + 1)) return 'stale'
        if (stored.length === prepared.statements.length) for (const pair of rows.pairs[index]!) known.add(pair)
        return { stored, skipped: prepared.ids.length - stored.length }
      })
    },
  }
}

/** The key of an activity's definition if a group gives it several. */
const several = ''

/**
 * The newest definition of each activity, by its key. While the count of definition changes in Postgres stays the same,
 * a group that repeats these definitions needs no check of them.
 */
function newestDefinitions() {
  const keys = new Map<string, string>()
  let at: string | undefined
  return {
    /** The count at which all definitions of the group were the newest; undefined: not all are known to be. */
    countFor: ({ defines, names }: Pick<Rows, 'defines' | 'names'>): string | undefined => {
      if (names) return undefined
      for (const [activity, key] of defines) if (keys.get(activity) !== key) return undefined
      return at
    },
    learn({ defines }: Pick<Rows, 'defines'>, whole: boolean, before: string, after: string): void {
      if (before !== at || keys.size > knownDefinitions) keys.clear()
      at = after
      for (const [activity, key] of defines) {
        if (whole && key !== several) keys.set(activity, key)
        else keys.delete(activity)
      }
    },
  }
}

type Rows = ReturnType<typeof rowsOf>

/** The arrays of write_statements() as Postgres literals: keys and ids need no escaping; texts are one byte string. */
function rowsOf(group: readonly Batch[], known: ReadonlySet<string>) {
  const texts = textRun()
  const request = lists(columns.request)
  const session: string[] = []
  const of = lists(columns.statement)
  const defined = lists(columns.definition)
  const named = lists(columns.name)
  const contents = lists(columns.attachment)
  const pairs: string[][] = []
  const defines = new Map<string, string>()
  let names = false
  let before = 0

  for (const [
    index,
    { credential, credentialVersion, session: id = 'NULL', game, prepared, attached = [] },
  ] of group.entries()) {
    request.credential.push(credential)
    request.version.push(credentialVersion)
    session.push(id)
    for (const statement of prepared.statements) {
      const { offset, length } = texts.add(statement.body)
      of.request.push(index + 1)
      of.game.push(game)
      of.offset.push(offset)
      of.length.push(length)
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
    const addText = (into: Record<string, Values>, owner: string, text: string | undefined, statements: number[]) => {
      const [ordinals, owners, keys, offsets, lengths] = Object.values(into) as [Values, Values, Values, Values, Values]
      const key = text === undefined ? noKey : keyOf(text)
      const { offset, length } = text === undefined ? { offset: 'NULL', length: 'NULL' } : texts.add(text)
      for (const n of statements) {
        ordinals.push(before + n + 1)
        owners.push(owner)
        keys.push(key)
        offsets.push(offset)
        lengths.push(length)
      }
      return key
    }
    for (const { key, definition: given, statements } of prepared.activities) {
      const definition = given !== undefined && given.length > longest.definition ? undefined : given
      if (definition === undefined) {
        if (known.has(key)) continue
        seen.push(key)
      }
      const said = addText(defined, key, definition, statements)
      if (definition === undefined) names = true
      else defines.set(key, (defines.get(key) ?? said) === said ? said : several)
    }
    for (const { key, name: given, statements } of prepared.agents) {
      const name = given !== undefined && given.length > longest.name ? undefined : given
      const pair = key + (name ?? '')
      if (known.has(pair)) continue
      seen.push(pair)
      addText(named, key, name, statements)
    }
    for (const { statement, attachment, contentType } of attached) {
      const { offset, length } = texts.add(contentType)
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
    names,
    sessions: arrayLiteral(session),
    values: () => [
      ...Object.values(request).map(arrayLiteral),
      texts.bytes(),
      ...[of, defined, named, contents].flatMap((table) => Object.values(table).map(arrayLiteral)),
    ],
  }
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
  const parts: string[] = []
  let size = 0
  return {
    add(text: string) {
      const place = { offset: size, length: Buffer.byteLength(text) }
      parts.push(text)
      size += place.length
      return place
    },
    bytes: () => Buffer.from(parts.join('')),
  }
}
