import { done, sql, type Database } from '../../../process/database/database.ts'
import { along, everything, orderAlong } from '../../../process/database/look.ts'

/** Statements that one query counts. */
const batch = 5_000

const addChanges = sql('game_bytes_add_changes')`with gone as (delete from game_bytes_change returning game, bytes)
    insert into game_bytes as b (game, documents) select game, sum(bytes) from gone group by game order by game
    on conflict (game) do update set documents = b.documents + excluded.documents`
const usedBy = sql('game_bytes_used')`
  select b.game, (b.statements + b.documents)::float8 as used from unnest($1::int[]) g (id)
    join game_bytes b on b.game = g.id`
const begin = sql('game_bytes_begin')`insert into game_bytes (game) values ($1) on conflict do nothing`
const lock = sql('game_bytes_lock')`select stored from game_bytes where game = $1 for update skip locked`
const since = { ...everything, after: '$2', ascending: true }
const upTo = { after: '$2', until: '(select max(stored) from next)', ascending: true }
const first = { ...everything, ascending: true }
const ofContent = { attachment: 'l.attachment', game: '$1' }
// a content counts with the first statement that came with it
const countNext = sql('game_bytes_count')`with
    next as materialized (
      select s.stored, octet_length(s.body) as size from statement s
      where ${along('s', { game: '$1' }, 'stored', since)} ${orderAlong('s', { game: '$1' }, 'stored', since)}
      limit ${batch}),
    attached as (
      select sum(a.size) as bytes from (
        select l.* from statement_attachment l
        where ${along('l', { game: '$1' }, 'stored', upTo)}
        ${orderAlong('l', { game: '$1' }, 'stored', upTo)} offset 0) l
      cross join lateral (select a.size from attachment a where a.id = l.attachment offset 0) a
      where l.stored = (
        select e.stored from statement_attachment e
        where ${along('e', ofContent, 'stored', first)} ${orderAlong('e', ofContent, 'stored', first)} limit 1))
    update game_bytes b set stored = n.last, statements = b.statements + n.bytes
    from (
      select max(stored) as last, sum(size) + coalesce((select bytes from attached), 0) as bytes, count(*)::int as count
      from next) n
    where b.game = $1 and n.count > 0 returning n.count`
/** Restarts the count of these games after an erasure. */
export const recount = sql('game_bytes_recount')`update game_bytes set stored = 0, statements = 0 where game = any ($1)`

/** Bytes of statements, attachments and documents by game. No writer waits for the count. */
export function gameBytesStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /** Adds the pending changes of document bytes to the totals. */
    addChanges: () => done(run(addChanges, [])),

    /** Counts the next statements of a game; false: there are no more, or another core counts them. */
    count: (game: number): Promise<boolean> =>
      transaction(async (run) => {
        await run(begin, [game])
        const [row] = await run<{ stored: string }>(lock, [game])
        if (!row) return false
        const [counted] = await run<{ count: number }>(countNext, [game, row.stored])
        return counted?.count === batch
      }),

    /** The bytes counted so far, by game. */
    used: async (games: readonly number[]): Promise<Map<number, number>> => {
      const rows = await run<{ game: number; used: number }>(usedBy, [games])
      return new Map(rows.map(({ game, used }) => [game, used]))
    },
  }
}
