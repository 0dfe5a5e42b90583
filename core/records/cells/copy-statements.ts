import { arrayOf, only, sql, type Run } from '../../process/database/database.ts'
import { along, everything, exactly, orderAlong } from '../../process/database/look.ts'
import type { Part } from './part.ts'

/** Where statements are copied from: a cell, or a schema that was taken for one. */
export type Source = Pick<Part, 'database' | 'attachments'>

/** Statements that are copied while writers of both cells wait; more are copied before, while they go on. */
export const whileWaiting = 500
export const roundsAtMost = 20
/** Statements, and bytes of their bodies, that are in memory at a time. */
const atOnce = 500
const bytesAtOnce = 4 * 1024 * 1024

const last = sql('copy_last')`select coalesce(max(stored), 0)::bigint as last,
      (select count(*) from (select from statement s where s.game = $1 and s.stored > $2
        limit ${whileWaiting + 1}) n)::int
        as rest
    from statement where game = $1`
const range = { ...everything, after: '$2', until: '$3', ascending: true }
const next = sql('copy_next')`select * from (
      select s.*, sum(octet_length(s.body)) over (order by s.stored) - octet_length(s.body) as before from (
        select r.stored, r.credential, r.id, r.actor, r.verb, r.activity, r.registration, r.target, r.voids, r.voided,
          r.terms::text as terms, r.body
        from statement r where ${along('r', { game: '$1' }, 'stored', range)}
        ${orderAlong('r', { game: '$1' }, 'stored', range)} limit $4) s) n
    where before < ${bytesAtOnce} order by stored`
const insert = sql('copy_insert')`with s as (
      insert into statement (
        game, stored, credential, id, actor, verb, activity, registration, target, voids, voided, terms, body)
      select $1, n.stored, n.credential, n.id, n.actor, n.verb, n.activity, n.registration, n.target, n.voids, n.voided,
        n.terms::uuid[], n.body
      from unnest($2::bigint[], $3::int[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[],
          $10::boolean[], $11::boolean[], $12::text[], $13::text[])
        n (stored, credential, id, actor, verb, activity, registration, target, voids, voided, terms, body)
      returning stored, game, terms)
    insert into posting (stored, target, game, term) select stored, stored, game, unnest(terms) from s`
const link = sql('copy_link')`select link_references(array[s.game], array[s.stored], $3) from (
      select s.game, s.stored from unnest($2::bigint[]) n (stored)
      cross join lateral (
        select o.* from statement o where ${exactly('o', { game: '$1', stored: 'n.stored' })} limit 1) s
      where s.target is not null or exists (
        select from statement r where r.target is not null and ${exactly('r', { game: 's.game', target: 's.id' })})
      order by s.stored) s`
const attached = sql('copy_attached')`
  select l.stored, l.attachment, l.content_type as "contentType", encode(a.sha2, 'hex') as sha2, a.size
    from statement_attachment l join attachment a on a.id = l.attachment
    where l.game = $1 and l.stored > $2 and l.stored <= $3`
const contentOf = sql('copy_content')`select id from attachment where sha2 = decode($1, 'hex')`
const insertAttached = sql('copy_insert_attached')`
  with used as (update attachment set referenced = true where id = any ($3::bigint[]) and not referenced)
    insert into statement_attachment (game, stored, attachment, content_type)
    select $1, * from unnest($2::bigint[], $3::bigint[], $4::text[])`

export interface Copying {
  readonly from: Source
  readonly to: Part
  readonly game: number
  /** Fails when the move has ended: then nothing more may be copied. */
  readonly alive: () => Promise<unknown>
  /** The transaction in the new cell for all of it; undefined: one for each batch. */
  readonly onNext?: Run
}

/** A statement as it is copied: its columns but for the game. */
export interface Row extends Record<string, unknown> {
  readonly stored: string
  readonly id: string
  readonly terms: string | null
  readonly body: string
}

/** The last statement of a game, and how many follow this position: at most one more than are copied last. */
export const lastOf = (run: Run, game: number, after: string) =>
  only(run<{ last: string; rest: number }>(last, [game, after]))

/** The next statements of a game after one position, up to another, at most a given number. */
export const nextRows = (run: Run, game: number, after: string, until: string, limit: number) =>
  run<Row>(next, [game, after, until, limit])

/** Copies the statements after a position, up to another one, in batches; returns how many. */
export async function copyStatements(
  { from, to, game, alive, onNext }: Copying,
  after: string,
  until: string,
): Promise<number> {
  let count = 0
  for (let at = after; BigInt(at) < BigInt(until);) {
    const rows = await nextRows(from.database.run, game, at, until, atOnce)
    if (rows.length === 0) break
    const end = rows.at(-1)!.stored
    const contents = await copyContents({ from, to, game, alive }, at, end)
    await alive()
    const write = (run: Run) => writeRows(run, game, rows, contents)
    await (onNext ? write(onNext) : to.database.transaction(write))
    count += rows.length
    at = end
  }
  return count
}

/** Writes statements with what finds them, in the order of `stored`, and links them with those that are there. */
export async function writeRows(
  run: Run,
  game: number,
  rows: readonly Row[],
  contents: readonly Content[],
  limited = true,
): Promise<void> {
  await run(insert, [
    game,
    arrayOf(rows, ({ stored }) => stored),
    ...['credential', 'id', 'actor', 'verb', 'activity', 'registration', 'target', 'voids', 'voided'].map((name) =>
      arrayOf(rows, (row) => row[name] ?? 'NULL'),
    ),
    rows.map(({ terms }) => terms),
    rows.map(({ body }) => body),
  ])
  if (contents.length > 0)
    await run(insertAttached, [
      game,
      arrayOf(contents, ({ stored }) => stored),
      arrayOf(contents, ({ id }) => id),
      contents.map(({ contentType }) => contentType),
    ])
  await run(link, [game, arrayOf(rows, ({ stored }) => stored), limited])
}

/** A content that came with a statement, by its id in the new cell. */
export interface Content {
  readonly stored: string
  readonly contentType: string
  readonly id: number
}

interface Attached extends Record<string, unknown> {
  readonly stored: string
  readonly attachment: string
  readonly contentType: string
  readonly sha2: string
  readonly size: string
}

/** Copies the contents that these statements came with, chunk by chunk; returns them with their ids in the new cell. */
export async function copyContents(
  { from, to, game, alive }: Copying,
  after: string,
  until: string,
): Promise<Content[]> {
  const found = await from.database.run<Attached>(attached, [game, after, until])
  const ids = new Map<string, number>()
  for (const { sha2, attachment, size } of found) {
    if (ids.has(sha2)) continue
    await alive()
    const [there] = await to.database.run<{ id: string }>(contentOf, [sha2])
    ids.set(sha2, there ? Number(there.id) : await copyContent(from, to, Number(attachment), sha2, Number(size)))
  }
  return found.map(({ stored, contentType, sha2 }) => ({ stored, contentType, id: ids.get(sha2)! }))
}

async function copyContent(from: Source, to: Part, attachment: number, sha2: string, size: number): Promise<number> {
  let id: number | undefined
  let content = (await from.attachments.chunk(attachment, 0)) ?? Buffer.alloc(0)
  for (let n = 0; ; n++) {
    const following = await from.attachments.chunk(attachment, n + 1)
    if (following === undefined) return to.attachments.keep(id, n, content, sha2, size)
    if (id === undefined) id = await to.attachments.begin(content)
    else await to.attachments.append(id, n, content)
    content = following
  }
}
