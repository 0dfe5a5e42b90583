import type { NextStatement } from '../../rules/learners-seen.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import { along, everything, orderAlong } from '../../../process/database/look.ts'
import type { Run } from './folds/counter.ts'

const atOnce = 100
export const batchStatements = 500
export const batchBytes = 1024 * 1024

const mark = {
  name: 'seen_again_mark',
  text: `insert into seen_again (game, actor) select $1, * from unnest($2::uuid[])
    on conflict (game, actor) do update set after = 0`,
}
const markAll = {
  name: 'seen_again_mark_all',
  text: `with clock as (
      update learner_cursor set start = (select start from tenant where game = $1) where game = $1)
    insert into seen_again (game, actor) select game, actor from learner_seen where game = $1
    on conflict (game, actor) do update set after = 0`,
}
const marked = {
  name: 'seen_again_marked',
  text: 'select actor from seen_again where game = $1 and actor = any ($2::uuid[])',
}
const next = {
  name: 'seen_again_next',
  text: `select actor, after from seen_again where game = $1 order by game, actor limit ${atOnce}`,
}
const rest = { ...everything, after: 'k.after', until: '$4', ascending: true }
const ofActor = { game: '$1', actor: 'k.actor' }
const statements = {
  name: 'seen_again_statements',
  text: `select stored, actor, registration, body from (
      select s.*, row_number() over w as n, sum(octet_length(s.body)) over w - octet_length(s.body) as before
      from unnest($2::uuid[], $3::bigint[]) k (actor, after)
      cross join lateral (
        select * from statement r where ${along('r', ofActor, 'stored', rest)}
        ${orderAlong('r', ofActor, 'stored', rest)} limit ${batchStatements}) s
      window w as (order by s.actor, s.stored)) f
    where n <= ${batchStatements} and before < ${batchBytes} order by actor, stored`,
}
const forget = {
  name: 'seen_again_forget',
  text: `with w as (delete from seen_word where game = $1 and actor = any ($2::uuid[])),
      s as (delete from seen_session where game = $1 and actor = any ($2::uuid[]))
    delete from learner_seen where game = $1 and actor = any ($2::uuid[])`,
}
const move = {
  name: 'seen_again_move',
  text: `with done as (delete from seen_again where game = $1 and actor = any ($2::uuid[]))
    update seen_again set after = $4 where game = $1 and actor = $3::uuid`,
}
const games = {
  name: 'seen_again_games',
  text: `with recursive g (game) as (
      (select a.game from seen_again a order by a.game, a.actor limit 1)
      union all
      select (select a.game from seen_again a where a.game > g.game order by a.game, a.actor limit 1)
      from g where g.game is not null)
    select game from g where game is not null limit 1000`,
}

/** What the list of learners has of these is made again with the next steps. */
export const seeAgain = async (run: Run, game: number, actors: readonly Key[]): Promise<void> =>
  void (await run(mark, [game, actors]))
/** The same for all of a game, whose start has changed. */
export const seeAllAgain = async (run: Run, game: number): Promise<void> => void (await run(markAll, [game]))
/** Those of these learners who wait for that. */
export const seenAgain = async (run: Run, game: number, actors: readonly Key[]): Promise<ReadonlySet<Key>> =>
  new Set((await run<{ actor: Key }>(marked, [game, actors])).map(({ actor }) => actor))
/** Games with learners who wait. */
export const gamesSeenAgain = async (run: Run): Promise<number[]> =>
  (await run<{ game: number }>(games, [])).map(({ game }) => game)

/**
 * The next statements of learners who wait, after what the list had of these was forgotten. Undefined: nobody waits.
 * @param until microseconds: what the list knows
 */
export async function nextAgain(run: Run, game: number, until: number): Promise<NextStatement[] | undefined> {
  const waiting = await run<{ actor: Key; after: string }>(next, [game])
  if (waiting.length === 0) return undefined
  const columns = [waiting.map(({ actor }) => actor), waiting.map(({ after }) => after)]
  const rows = await run<NextStatement & { stored: never }>(statements, [game, ...columns, until])
  const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
  const isCut = rows.length === batchStatements || bytes >= batchBytes
  const last = rows.at(-1)
  // Postgres orders UUIDs as their texts
  const whole = isCut ? waiting.filter(({ actor }) => actor < last!.actor) : waiting
  const begun = waiting.filter(({ actor, after }) => after === '0' && (!isCut || actor <= last!.actor))
  await run(forget, [game, begun.map(({ actor }) => actor)])
  const done = whole.map(({ actor }) => actor)
  await run(move, [game, done, isCut ? last!.actor : null, last?.stored ?? 0])
  return rows.map((row) => ({ ...row, stored: Number(row.stored) }))
}
