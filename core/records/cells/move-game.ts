import { isAway, Refusal } from '../../process/refusal.ts'
import { enterCell } from '../store/cell/enter.ts'
import { scalar, sql, type Database, type Run } from '../../process/database/database.ts'
import { schemaOf } from '../../process/database/schemas.ts'
import { roundsAtMost, whileWaiting } from './copy-statements.ts'
import { copyTold } from './copy-told.ts'
import { replaceLeft, untilSwept } from './left-rows.ts'
import { moveBetween, undoMoves, type Moved } from './move-between.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'
import { say } from '../../../shared/say.ts'

/** Milliseconds that one query of a move may take. */
const patience = 60 * 60_000

/** The SQL of a move; a text of its own for each pair of cells. */
function queriesFor(from: number, to: number) {
  const [old, next] = [schemaOf(from), schemaOf(to)]
  const named = (name: string, text: string) => ({ name: `move_${name}_${from}_${to}`, text })
  const between = (alias: string) => `${alias}.game = $1 and ${alias}.stored > $2 and ${alias}.stored <= $3`
  const copied = `insert into ${next}.statement select s.* from ${old}.statement s where ${between('s')} returning 1`
  return {
    erasures: named('erasures', `select last_value from ${old}.erasure`),
    last: named(
      'last',
      `select coalesce(max(stored), 0)::bigint as last,
        (select count(*) from (select from ${old}.statement s where s.game = $1 and s.stored > $2
          limit ${whileWaiting + 1}) n)::int as rest
      from ${old}.statement where game = $1`,
    ),
    contents: named(
      'contents',
      `with wanted as (
        select a.* from (select distinct attachment from ${old}.statement_attachment l where ${between('l')}) l
        join ${old}.attachment a on a.id = l.attachment),
      kept as (
        insert into ${next}.attachment (sha2, size, referenced) select sha2, size, true from wanted
        on conflict (sha2) do update set referenced = true returning id, sha2)
      insert into ${next}.attachment_chunk (attachment, n, content)
      select k.id, c.n, c.content from kept k join wanted w on w.sha2 = k.sha2
      join ${old}.attachment_chunk c on c.attachment = w.id on conflict do nothing`,
    ),
    attached: named(
      'attached',
      `insert into ${next}.statement_attachment
      select l.game, l.stored, n.id, l.content_type from ${old}.statement_attachment l
      join ${old}.attachment a on a.id = l.attachment join ${next}.attachment n on n.sha2 = a.sha2
      where ${between('l')}`,
    ),
    // one statement, one snapshot: the postings are those of the copied statements; later links come with `link`
    copyAll: named(
      'all',
      `with s as (${copied}), p as (
        insert into ${next}.posting select o.* from ${old}.posting o where o.game = $1 and o.stored <= $3)
      select count(*)::int as count from s where $2 = 0`,
    ),
    copy: named(
      'next',
      `with s as (${copied}), p as (
        insert into ${next}.posting (stored, target, game, term)
        select s.stored, s.stored, s.game, unnest(s.terms) from ${old}.statement s where ${between('s')})
      select count(*)::int as count from s`,
    ),
    link: named(
      'link',
      `select link_references(array[s.game], array[s.stored]) from (
        select s.game, s.stored from ${next}.statement s where ${between('s')} and (s.target is not null or exists (
          select from ${next}.statement r where r.game = s.game and r.target = s.id and r.target is not null))
        order by s.stored) s`,
    ),
    lock: named(
      'lock',
      `select pg_advisory_xact_lock(2026, order_lock(least(${from}, ${to}))),
        pg_advisory_xact_lock(2026, order_lock(greatest(${from}, ${to})))`,
    ),
    order: named(
      'order',
      `select setval('${next}.statement_order', greatest(n.last_value, o.last_value))
      from ${next}.statement_order n, ${old}.statement_order o`,
    ),
  }
}

const onlyOne = sql('move_one')`select pg_advisory_xact_lock(2026, 4)`
const patiently = sql('move_patiently')`select set_config('statement_timeout', $1, true)`
const whereIs = sql('move_where')`select t.game, t.cell, exists (select from cell where number = $2) as there,
      exists (select from moving m where m.game = t.game) as interrupted
    from tenant t where t.uuid = $1`
const anyHere = sql('move_any_here')`select from statement where game = $1 limit 1`
const lockTenant = sql('move_lock_tenant')`select from tenant where game = $1 for update`
const settle = sql('move_settle')`with moved as (update tenant set cell = $2, version = version + 1 where game = $1),
      -- every core that knows the credential looks it up again, and then knows the cell
      renewed as (update credential set version = version + 1 where game = $1),
      counted as (update placement set changes = changes + 1)
    insert into left_cell (game, cell) values ($1, $3)`

/**
 * Moves a game's statements to another cell while it goes on; its writers wait while the last ones are copied. On one
 * server that is one transaction: a move that is interrupted has not happened.
 * @throws Refusal 'not-found', 'conflict', 'unavailable'
 */
export async function moveGame(
  first: Database,
  part: (cell: number) => Promise<Part>,
  places: Places,
  gameId: string,
  to: number,
): Promise<Moved> {
  await undoMoves(first, part).catch(unlessAway)
  const asked = await cellRowOf(first.run, gameId, to)
  const target = await part(to)
  if (target.server !== undefined || (await part(asked.cell)).server !== undefined)
    await untilSwept(first, part, places, asked.game, target)
  let between: { old: Part; next: Part; game: number } | undefined
  try {
    const moved = await first.transaction(async (run) => {
      await run(onlyOne, [])
      await run(patiently, [String(patience)])
      const { game, cell: from } = await cellRowOf(run, gameId, to)
      const [old, next] = [await part(from), await part(to)]
      if (old.server !== undefined || next.server !== undefined) {
        await expectEmpty(next.database.run, game, to)
        between = { old, next, game }
        return moveBetween(first, run, old, next, game)
      }
      await run(lockTenant, [game])
      return moveWithin(run, game, old, to)
    }, patience)
    // again, for what was told meanwhile
    if (between) await copyTold(between.old, between.next, between.game).catch(unlessAway)
    return moved
  } catch (error) {
    // a server may have been told; if that fails as well, a job of every core tries it again
    if (between) await undoMoves(first, part).catch(() => {})
    throw error
  }
}

/** A statement of the game that is in the new cell already was misplaced there: a copy could meet its id. */
async function expectEmpty(run: Run, game: number, to: number): Promise<void> {
  if ((await run(anyHere, [game])).length > 0)
    throw new Refusal('conflict', say`Cell ${to} has misplaced statements of this game: run cells bring-back first.`)
}

/** A server that is away does not keep other games from moving, and takes back no move that is done. */
function unlessAway(error: unknown): void {
  if (!isAway(error)) throw error
}

async function cellRowOf(run: Run, gameId: string, to: number): Promise<{ game: number; cell: number }> {
  const [place] = await run<{ game: number; cell: number; there: boolean; interrupted: boolean }>(whereIs, [gameId, to])
  if (!place) throw new Refusal('not-found', 'There is no game of this id.', { subject: 'game' })
  if (!place.there) throw new Refusal('not-found', say`There is no cell ${to}; see cells list.`)
  if (place.cell === to) throw new Refusal('conflict', say`The game is in cell ${to} already.`)
  if (place.interrupted)
    throw new Refusal(
      'conflict',
      'A move of this game goes on, or was interrupted and is being undone; try again soon.',
    )
  return place
}

/** Moves a game within one server. */
async function moveWithin(run: Run, game: number, old: Part, to: number): Promise<Moved> {
  const from = old.number
  const queries = queriesFor(from, to)
  const erasures = () => scalar<string>(run(queries.erasures, []))
  const before = await erasures()
  await enterCell(run, to)
  await replaceLeft(run, old, game, to)
  await expectEmpty(run, game, to)
  let statements = 0
  let after = '0'

  /** Copies what was stored since the last round; true: little may be left. */
  async function round(): Promise<boolean> {
    const [{ last, rest } = { last: '0', rest: 0 }] = await run<{ last: string; rest: number }>(queries.last, [
      game,
      after,
    ])
    if (rest > 0) {
      const range = [game, after, last]
      await run(queries.contents, range)
      const [{ count } = { count: 0 }] = await run<{ count: number }>(
        after === '0' ? queries.copyAll : queries.copy,
        range,
      )
      await run(queries.attached, range)
      if (after !== '0') await run(queries.link, range)
      statements += count
      after = last
    }
    return rest <= whileWaiting
  }

  for (let rounds = 0; !(await round()); rounds++)
    if (rounds === roundsAtMost)
      throw new Refusal(
        'unavailable',
        'The game stores statements faster than they are copied; move it at another time.',
      )
  await run(queries.lock, [])
  const began = performance.now()
  if ((await erasures()) !== before)
    throw new Refusal('unavailable', 'A learner was erased meanwhile; start the move again.')
  await round()
  await run(queries.order, [])
  await run(settle, [game, to, from])
  await enterCell(run, 1)
  return { from, statements, waited: performance.now() - began }
}
