import { currentCredential, isHere } from './current.ts'
import { done, sql, type Database } from '../../../process/database/database.ts'
import type { Reader } from './page-parameters.ts'

export interface StoredAttachment {
  readonly id: number
  /** Lower-case hexadecimal digits. */
  readonly sha2: string
  readonly contentType: string
  /** Bytes. */
  readonly size: number
}

/** Bytes of a content in one row. */
export const chunkSize = 256 * 1024

// These commits do not wait for the disk: the commit of the statements follows, and waits for both.
const unhurried = "set_config('synchronous_commit', 'off', true)"
const beginAttachment = sql('begin_attachment')`with begun as (insert into attachment default values returning id)
    insert into attachment_chunk (attachment, n, content)
      select id, 0, $1 from begun, ${unhurried} returning attachment as id`
const appendAttachment = sql('append_attachment')`
  insert into attachment_chunk (attachment, n, content) select $1, $2, $3 from ${unhurried}`
const keepAttachment = sql('keep_attachment')`select keep_attachment($1, $2, $3, $4, $5) as id`
const discardAttachment = sql('discard_attachment')`delete from attachment where id = $1 and sha2 is null`
const sweepAttachments = sql('sweep_attachments')`delete from attachment where id = any (array(
    select id from attachment where not referenced and touched < now() - $1 * interval '1 second'
    order by touched limit $2))
    and not referenced returning id`
const findAttachment = sql('find_attachment')`select c.current, a.id
    from ${currentCredential('$6')}
    left join attachment a on c.current and a.sha2 = $3 and exists (
      select from statement_attachment l join statement s on s.game = l.game and s.stored = l.stored
      where l.attachment = a.id
        and (l.game = $4 or $4::int is null and l.game in (select g.game from tenant g where g.sandbox_of is null and ${isHere}))
        and ($5::uuid is null or s.actor = $5))`
const readChunk = sql('read_chunk')`select content from attachment_chunk where attachment = $1 and n = $2`
const attachmentsIn = (games: string) => `select distinct on (a.sha2)
      encode(a.sha2, 'hex') as sha2, l.content_type as "contentType", a.size, a.id
    from unnest($1::bigint[]) s (stored) ${games}
    cross join lateral (
      select l.* from statement_attachment l
      where (l.game, l.stored) >= (g.game, s.stored) and (l.game, l.stored) <= (g.game, s.stored)
      order by l.game, l.stored offset 0) l
    cross join lateral (select a.* from attachment a where a.id = l.attachment offset 0) a
    order by a.sha2, l.stored`
const attachmentsOf = sql('attachments_of')`${attachmentsIn('cross join (select $2::int as game) g')}`
const attachmentsOfAll = sql('attachments_of_all')`
  ${attachmentsIn(`cross join (select g.game from tenant g where g.sandbox_of is null and ${isHere}) g`)}`

interface Row extends Record<string, unknown> {
  sha2: string
  contentType: string
  size: string
  id: string
}

/** The contents of attachments, in chunks. */
export function attachmentStore(database: Database) {
  return {
    /** Stores the first chunk of a content that has more chunks, and returns the content's id. */
    async begin(content: Buffer): Promise<number> {
      const [row] = await database.run<{ id: string }>(beginAttachment, [content])
      return Number(row!.id)
    },

    /** Stores a further chunk. */
    append: (id: number, n: number, content: Buffer) => done(database.run(appendAttachment, [id, n, content])),

    /**
     * Stores the last chunk, with index `n`; from then on the content can be found. Returns its id: if an equal content
     * is stored already, the id of that one.
     * @param id undefined: the last chunk is also the first
     */
    async keep(id: number | undefined, n: number, content: Buffer, sha2: string, size: number): Promise<number> {
      const [row] = await database.run<{ id: string }>(keepAttachment, [
        id ?? null,
        n,
        content,
        Buffer.from(sha2, 'hex'),
        size,
      ])
      return Number(row!.id)
    },

    /** Forgets a content that was begun and not kept. */
    discard: (id: number) => done(database.run(discardAttachment, [id])),

    /** Deletes at most `limit` contents that had no statement for that many seconds; returns how many were deleted. */
    sweep: async (seconds: number, limit: number): Promise<number> =>
      (await database.essential(sweepAttachments, [seconds, limit])).length,

    /** Id of the content, if it came with a statement that the reader may read. */
    async find(reader: Reader, sha2: string): Promise<number | undefined | 'stale'> {
      const { credential, credentialVersion, session, game, actor, everything } = reader
      const values = [
        credential,
        credentialVersion,
        Buffer.from(sha2, 'hex'),
        everything ? null : game,
        actor ?? null,
        session ?? null,
      ]
      const [row] = await database.run<{ current: boolean; id: string | null }>(findAttachment, values)
      if (!row!.current) return 'stale'
      return row!.id === null ? undefined : Number(row!.id)
    },

    /** The nth chunk; undefined after the last. */
    async chunk(id: number, n: number): Promise<Buffer | undefined> {
      return (await database.run<{ content: Buffer }>(readChunk, [id, n]))[0]?.content
    },

    /** Attachments of the statements at these positions in the order, each content once. */
    async of({ game, everything }: Reader, stored: readonly number[]): Promise<StoredAttachment[]> {
      const rows = await (everything
        ? database.run<Row>(attachmentsOfAll, [stored])
        : database.run<Row>(attachmentsOf, [stored, game]))
      return rows.map(({ sha2, contentType, size, id }) => ({ sha2, contentType, size: Number(size), id: Number(id) }))
    },
  }
}
