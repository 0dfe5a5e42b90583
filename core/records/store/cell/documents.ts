import { batcher, usualWait } from '../../../process/concurrency/batcher.ts'
import { current, currentCredential, versionOf } from './current.ts'
import { arrayOf, sql, type Database, type Run } from '../../../process/database/database.ts'
import type { Key } from '../../xapi/identify.ts'
import type { Credentialed } from './write-statements.ts'

/** The location of a document; `registration` only for state. */
export interface DocumentLocation {
  readonly scope: Key
  readonly registration?: string
  /** State and agent profiles: the agent that the document is about. */
  readonly agent?: Key
  /** State, which belongs to the caller's game: IRI of its activity. */
  readonly stateOf?: string
}

export interface DocumentContent {
  readonly content: Buffer
  readonly contentType: string
  /** SHA-1 of the content in hex. */
  readonly etag: string
}

export interface StoredDocument extends DocumentContent {
  readonly size: number
  /** Microseconds. */
  readonly updated: number
}

/** Entity tags in hex or `*`; undefined: no such condition. */
export interface Conditions {
  readonly ifMatch?: string[]
  readonly ifNoneMatch?: string[]
  /** When a change without conditions is refused; 'existing': when the document exists. */
  readonly required: 'never' | 'existing' | 'always'
}

export type Change = 'done' | 'stale' | 'precondition' | 'full' | 'exists' | 'missing'

const changeDocument = sql('change_document')`select change_document(
    $1, ${versionOf('$2', '$16')}, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) as change`
/**
 * Runs change_document() for several changes. 'busy': another transaction holds the document or its scope, and this
 * change was not made.
 */
const changeDocuments = sql('change_documents')`select change_documents($1::int[],
    array(select ${versionOf('r.version', 'r.session')} from unnest($2::int[], $17::uuid[]) r (version, session)),
    $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::bytea, $8::int[], $9::text[], $10::text[],
    $11::uuid[], $12::text[], $13::text[], $14::text[], $15::int[], $16::text[]) as changes`
const lockDocuments = sql('lock_documents')`select lock_documents($1)`
const readDocument = sql('read_document')`select c.current, d.content, d.content_type, d.etag, d.updated, d.size
    from ${currentCredential('$7')}
    left join lateral (
      select case when $6 then content end as content, content_type, etag, updated, length(content) as size
      from document where scope = $3 and registration = $4 and id_key = $5) d on c.current`
/** Contents up to this many bytes are read together with others. */
const small = 64 * 1024
const readDocuments = sql('read_documents')`select a.n, c.current, d.content, d.content_type, d.etag, d.updated, d.size
    from unnest($1::int[], $2::int[], $3::uuid[], $4::uuid[], $5::uuid[], $6::boolean[], $7::uuid[])
      with ordinality a (credential, version, scope, registration, key, whole, session, n)
    cross join lateral ${current('a.credential', 'a.version', 'a.session')}
    left join lateral (
      select case when a.whole and length(content) <= ${small} then content end as content,
        content_type, etag, updated, length(content) as size
      from document where scope = a.scope and registration = a.registration and id_key = a.key limit 1) d on c.current`
const listDocuments = sql('list_documents')`select c.current, d.id, d.updated
    from ${currentCredential('$6')}
    left join lateral (
      select id, max(updated) as updated from document
      where scope = $3 and ($4::uuid is null or registration = $4) and updated > $5 group by id) d on c.current
    order by d.updated`
const deleteDocuments = sql('delete_documents')`with c as (select current from ${currentCredential('$5')}),
    gone as (
      delete from document where scope = $3 and ($4::uuid is null or registration = $4) and (select current from c))
    select current from c`

const none = '0'.repeat(32)

interface Reading {
  readonly game: number
  readonly who: Credentialed
  readonly location: DocumentLocation
  readonly key: Key
  readonly withContent: boolean
}

export interface Changing {
  readonly game: number
  readonly who: Credentialed
  readonly location: DocumentLocation
  readonly key: Key
  readonly id: string
  readonly document: DocumentContent | undefined
  readonly conditions: Conditions
}

type Read = StoredDocument | undefined | 'stale'

interface Row {
  current: boolean
  content: Buffer | null
  content_type: string
  etag: string | null
  updated: string
  size: number
}

/** The query that changes one document; it waits for other writers of the scope. */
export const changeQuery = (changing: Changing) => ({ ...changeDocument, values: valuesOf(changing) })

function valuesOf({ who, location, key, id, document, conditions }: Changing): unknown[] {
  return [
    who.credential,
    who.credentialVersion,
    location.scope,
    location.registration ?? none,
    key,
    id,
    document?.content ?? null,
    document?.contentType ?? null,
    document?.etag ?? null,
    location.agent ?? null,
    conditions.ifMatch ?? null,
    conditions.ifNoneMatch ?? null,
    conditions.required,
    who.game,
    location.stateOf ?? null,
    who.session ?? null,
  ]
}

/** Documents of all three kinds; the key of their scope separates the kinds. */
export function documentStore(database: Database) {
  async function change(run: Run, changing: Changing): Promise<Change> {
    const [row] = await run<{ change: Change }>(changeDocument, valuesOf(changing))
    return row!.change
  }

  async function changeTogether(all: readonly Changing[]): Promise<(Change | Promise<Change>)[]> {
    const [row] = await database.run<{ changes: (Change | 'busy')[] }>(changeDocuments, [
      arrayOf(all, ({ who }) => who.credential),
      arrayOf(all, ({ who }) => who.credentialVersion),
      arrayOf(all, ({ location }) => location.scope),
      arrayOf(all, ({ location }) => location.registration ?? none),
      arrayOf(all, ({ key }) => key),
      all.map(({ id }) => id),
      Buffer.concat(all.flatMap(({ document }) => document?.content ?? [])),
      arrayOf(all, ({ document }) => document?.content.byteLength ?? 'NULL'),
      all.map(({ document }) => document?.contentType ?? null),
      arrayOf(all, ({ document }) => document?.etag ?? 'NULL'),
      arrayOf(all, ({ location }) => location.agent ?? 'NULL'),
      all.map(({ conditions }) => literal(conditions.ifMatch)),
      all.map(({ conditions }) => literal(conditions.ifNoneMatch)),
      arrayOf(all, ({ conditions }) => conditions.required),
      arrayOf(all, ({ who }) => who.game),
      all.map(({ location }) => location.stateOf ?? null),
      arrayOf(all, ({ who }) => who.session ?? 'NULL'),
    ])
    return row!.changes.map((outcome, index) => (outcome === 'busy' ? changeAlone(all[index]!) : outcome))
  }

  async function read(run: Run, { who, location, key, withContent }: Reading): Promise<Read> {
    const [row] = await run<Row>(readDocument, [
      who.credential,
      who.credentialVersion,
      location.scope,
      location.registration ?? none,
      key,
      withContent,
      who.session ?? null,
    ])
    return documentOf(row!)
  }

  async function readTogether(all: readonly Reading[]): Promise<(Read | Promise<Read>)[]> {
    if (all.length === 1) return [await read(database.run, all[0]!)]
    const rows = await database.run<Row & { n: string }>(readDocuments, [
      arrayOf(all, ({ who }) => who.credential),
      arrayOf(all, ({ who }) => who.credentialVersion),
      arrayOf(all, ({ location }) => location.scope),
      arrayOf(all, ({ location }) => location.registration ?? none),
      arrayOf(all, ({ key }) => key),
      arrayOf(all, ({ withContent }) => withContent),
      arrayOf(all, ({ who }) => who.session ?? 'NULL'),
    ])
    const found: (Read | Promise<Read>)[] = []
    for (const row of rows) {
      const index = Number(row.n) - 1
      const large = row.content === null && row.size > small && all[index]!.withContent
      found[index] = large ? readAlone(all[index]!) : documentOf(row)
    }
    return found
  }

  const readAlone = batcher(readTogether, { ...usualWait, maxWeight: 1, concurrency: 2 }).call
  const readGathered = batcher(readTogether, { ...usualWait, maxWeight: 64, concurrency: 1 }).call
  const changeAlone = batcher(async ([one]: readonly Changing[]) => [await change(database.run, one!)], {
    ...usualWait,
    maxWeight: 1,
    concurrency: 4,
  }).call
  const changeGathered = batcher(changeTogether, {
    ...usualWait,
    maxWeight: 64,
    maxBytes: 1024 * 1024,
    maxWaitingBytes: 32 * 1024 * 1024,
    concurrency: 1,
  }).call

  return {
    /** A document, or its metadata without the content. Reads that arrive together share one query. */
    get: (who: Credentialed, location: DocumentLocation, key: Key, withContent: boolean): Promise<Read> =>
      readGathered({ game: who.game, who, location, key, withContent }),

    /**
     * Puts a document, or deletes it if none is given. Conditions and change are one step. Changes that arrive together
     * share one commit.
     */
    change: (
      who: Credentialed,
      location: DocumentLocation,
      key: Key,
      id: string,
      document: DocumentContent | undefined,
      conditions: Conditions,
    ): Promise<Change> =>
      changeGathered({ game: who.game, who, location, key, id, document, conditions }, document?.content.byteLength),

    /** Reads, merges and puts in one transaction: writers of the scope wait. Changes nothing if `merge` throws. */
    merge: (
      who: Credentialed,
      location: DocumentLocation,
      key: Key,
      id: string,
      conditions: Conditions,
      merge: (stored: StoredDocument | undefined) => DocumentContent,
    ) =>
      database.transaction(async (run) => {
        await run(lockDocuments, [location.scope])
        const { game } = who
        const stored = await read(run, { game, who, location, key, withContent: true })
        if (stored === 'stale') return stored
        return change(run, { game, who, location, key, id, document: merge(stored), conditions })
      }),

    /** Ids and times of the documents changed strictly after `since` (microseconds), oldest first. */
    async list(
      who: Credentialed,
      location: DocumentLocation,
      since: number,
    ): Promise<{ id: string; updated: number }[] | 'stale'> {
      const rows = await database.run<{ current: boolean; id: string; updated: string }>(listDocuments, [
        who.credential,
        who.credentialVersion,
        location.scope,
        location.registration ?? null,
        since,
        who.session ?? null,
      ])
      if (!rows[0]!.current) return 'stale'
      return rows.filter(({ id }) => id !== null).map(({ id, updated }) => ({ id, updated: Number(updated) }))
    },

    async deleteAll(who: Credentialed, location: DocumentLocation): Promise<'done' | 'stale'> {
      const rows = await database.transaction(async (run) => {
        await run(lockDocuments, [location.scope])
        return run(deleteDocuments, [
          who.credential,
          who.credentialVersion,
          location.scope,
          location.registration ?? null,
          who.session ?? null,
        ])
      })
      return rows[0]!.current ? 'done' : 'stale'
    },
  }
}

function documentOf({ current, content, content_type: contentType, etag, updated, size }: Row): Read {
  if (!current) return 'stale'
  if (etag === null) return undefined
  return { content: content ?? Buffer.alloc(0), contentType, etag, size, updated: Number(updated) }
}

/** Postgres literal of a text array, to be an element of another array. */
const literal = (texts: readonly string[] | undefined) =>
  texts && `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join()}}`
