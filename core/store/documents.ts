import { currentCredential } from './current.ts'
import type { Database } from './database.ts'
import type { Key } from '../xapi/identify.ts'
import type { Credentialed } from './write-statements.ts'

/** Where a document lives; `registration` only for state. */
export interface Place {
  readonly scope: Key
  readonly registration?: string
  /** The agent of state and agent profiles: whose documents these are. */
  readonly agent?: Key
  /** IRI of the activity of state, which belongs to the caller's game. */
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
  /** When a change without conditions is refused: 'existing' where there is a document. */
  readonly required: 'never' | 'existing' | 'always'
}

export type Change = 'done' | 'stale' | 'precondition' | 'full' | 'exists' | 'missing'

const changeDocument = {
  name: 'change_document',
  text: 'select change_document($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) as change',
}
const lockDocuments = { name: 'lock_documents', text: 'select lock_documents($1)' }
const readDocument = {
  name: 'read_document',
  text: `select c.current, d.content, d.content_type, d.etag, d.updated, d.size
    from ${currentCredential}
    left join lateral (
      select case when $6 then content end as content, content_type, etag, updated, length(content) as size
      from document where scope = $3 and registration = $4 and id_key = $5) d on c.current`,
}
const listDocuments = {
  name: 'list_documents',
  text: `select c.current, d.id, d.updated
    from ${currentCredential}
    left join lateral (
      select id, max(updated) as updated from document
      where scope = $3 and ($4::uuid is null or registration = $4) and updated > $5 group by id) d on c.current
    order by d.updated`,
}
const deleteDocuments = {
  name: 'delete_documents',
  text: `with c as (select current from ${currentCredential}),
    gone as (delete from document where scope = $3 and ($4::uuid is null or registration = $4) and (select current from c))
    select current from c`,
}

const none = '0'.repeat(32)

/** Documents of all three kinds: what separates them is in the key of their scope. */
export function documentStore(database: Database) {
  function change(run: Database['run'], who: Credentialed, place: Place, key: Key, id: string, document: DocumentContent | undefined, conditions: Conditions) {
    const { credential, credentialVersion } = who
    return run<{ change: Change }>(changeDocument, [
      credential, credentialVersion, place.scope, place.registration ?? none, key, id,
      document?.content ?? null, document?.contentType ?? null, document?.etag ?? null, place.agent ?? null,
      conditions.ifMatch ?? null, conditions.ifNoneMatch ?? null, conditions.required,
      place.stateOf === undefined ? null : who.game, place.stateOf ?? null,
    ]).then(([row]) => row!.change)
  }

  async function read(run: Database['run'], who: Credentialed, place: Place, key: Key, withContent: boolean): Promise<StoredDocument | undefined | 'stale'> {
    const [row] = await run(readDocument, [who.credential, who.credentialVersion, place.scope, place.registration ?? none, key, withContent])
    if (!row!.current) return 'stale'
    if (row!.etag === null) return undefined
    const { content, content_type: contentType, etag, size, updated } = row!
    return { content: content ?? Buffer.alloc(0), contentType, etag, size, updated: Number(updated) }
  }

  return {
    get: (who: Credentialed, place: Place, key: Key, withContent: boolean) => read(database.run, who, place, key, withContent),

    /** Puts a document, or removes it when there is none given; conditions and change are one step. */
    change: (who: Credentialed, place: Place, key: Key, id: string, document: DocumentContent | undefined, conditions: Conditions) =>
      change(database.run, who, place, key, id, document, conditions),

    /** Reads, merges and puts as one step: other writers of the scope wait. `merge` may throw, then nothing changes. */
    merge: (who: Credentialed, place: Place, key: Key, id: string, conditions: Conditions, merge: (stored: StoredDocument | undefined) => DocumentContent) =>
      database.transaction(async (run) => {
        await run(lockDocuments, [place.scope])
        const stored = await read(run, who, place, key, true)
        if (stored === 'stale') return stored
        return change(run, who, place, key, id, merge(stored), conditions)
      }),

    /** Ids and times of the documents changed strictly after `since` (microseconds), oldest first. */
    async list(who: Credentialed, place: Place, since: number): Promise<{ id: string; updated: number }[] | 'stale'> {
      const rows = await database.run(listDocuments, [who.credential, who.credentialVersion, place.scope, place.registration ?? null, since])
      if (!rows[0]!.current) return 'stale'
      return rows.filter(({ id }) => id !== null).map(({ id, updated }) => ({ id, updated: Number(updated) }))
    },

    async deleteAll(who: Credentialed, place: Place): Promise<'done' | 'stale'> {
      const rows = await database.transaction(async (run) => {
        await run(lockDocuments, [place.scope])
        return run(deleteDocuments, [who.credential, who.credentialVersion, place.scope, place.registration ?? null])
      })
      return rows[0]!.current ? 'done' : 'stale'
    },
  }
}
