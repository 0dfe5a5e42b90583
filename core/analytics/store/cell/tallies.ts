import { inSlices } from '../../../process/concurrency/slices.ts'
import type { Countable, Turn } from '../../rules/turn.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import { parse } from '../../../records/xapi/json.ts'
import type { Statement } from '../../../records/xapi/types.ts'
import type { Database } from '../../../process/database/database.ts'
import { along, everything, exactly, orderAlong } from '../../../process/database/look.ts'
import { isHere, newestOf } from '../../../records/store/cell/current.ts'
import type { Run } from './folds/counter.ts'
import { counters, learnerCounters } from './folds/counters.ts'
import { revisions } from './folds/revisions.ts'
import { statementOf } from '../../../records/store/cell/statement-of.ts'

/** Statements and bytes of bodies that are folded at once: a learner of many of them is changed once. */
const batchStatements = 2_000
const batchBytes = 4 * 1024 * 1024
/** Days for which core counts on after the charts were opened. */
const openDays = 7

const open = {
  name: 'tally_open',
  // who counts holds the row: opening must not wait for it, and `on conflict do update` would
  text: `with added as (
      insert into tally_cursor (game, opened) values ($1, now()) on conflict do nothing)
    update tally_cursor set opened = now() where ctid = any (array(
      select ctid from tally_cursor where game = $1 and opened < now() - interval '1 hour' for update skip locked))`,
}
// a cell that the game has left does not see what was voided since
const lockCursor = {
  name: 'tally_lock',
  text: `select c.stored from tally_cursor c
    where c.game = $1 and exists (select from tenant g where g.game = $1 and ${isHere}) for update of c skip locked`,
}
const moveCursor = { name: 'tally_move', text: 'update tally_cursor set stored = $2 where game = $1' }
const behind = {
  name: 'tally_behind',
  text: `select c.game from tally_cursor c join tenant g on g.game = c.game
    where ${isHere} and c.opened > now() - interval '${openDays} days'
      and (coalesce((${newestOf('c.game')}), 0) > c.stored or exists (select from recount r where r.game = c.game))
    limit 1000`,
}

const buildOf = (game: string, registration: string) =>
  `select b.build from session_build b where ${exactly('b', { game, registration })} limit 1`
// A snapshot holds the order up to some position without a gap (docs/adr/0002), so no earlier row appears later.
const voiders = (id: string) => {
  const columns = { game: '$1', target: id }
  const first = { ...everything, ascending: true }
  return `select v.stored from statement v where v.voids and ${along('v', columns, 'stored', first)}
    ${orderAlong('v', columns, 'stored', first)} limit 1`
}
const voidedBefore = (id: string) => `((${voiders(id)}) < s.stored)`
const sinceCursor = { ...everything, after: '$2', ascending: true }
const own = `s.stored, s.actor, s.verb, s.activity, s.registration, s.voided, s.voids as voiding, s.body,
  coalesce((${buildOf('$1', 's.registration')}), 0) as build`
const nextTurns = (most: number) => ({
  name: most === batchStatements ? 'next_turns' : `next_turns_${most}`,
  text: `select * from (
      select ${own}, s.voided and ${voidedBefore('s.id')} as retracted,
        t.stored as "voidsStored", t.actor as "voidsActor", t.verb as "voidsVerb", t.activity as "voidsActivity",
        t.body as "voidsBody", sum(size) over (order by s.stored) as bytes, size
      from (
        select * from statement r where ${along('r', { game: '$1' }, 'stored', sinceCursor)}
        ${orderAlong('r', { game: '$1' }, 'stored', sinceCursor)} limit ${most}) s
      left join lateral (${statementOf('$1', 's.target')}) t
        on s.voids and t.stored < s.stored and not t.voids and not coalesce(${voidedBefore('s.target')}, false)
      cross join lateral (select octet_length(s.body) + coalesce(octet_length(t.body), 0) as size) z
    ) n where bytes - size < ${batchBytes} order by stored`,
})

const addRecounts = {
  name: 'recount_add',
  text: `insert into recount as r (game, actor) select $1, * from unnest($2::uuid[])
    on conflict (game, actor) do update set after = 0`,
}
const endRecounts = {
  name: 'recount_end_all',
  text: 'delete from recount where game = $1 and actor = any ($2::uuid[])',
}
const recounted = { name: 'recount_of', text: 'select actor from recount where game = $1 and actor = any ($2::uuid[])' }
const nextRecount = { name: 'recount_next', text: 'select actor, after from recount where game = $1 limit 1' }
const again = { ...everything, after: '$3', until: '$4', ascending: true }
const turnsAgain = {
  name: 'turns_again',
  text: `select * from (
      select ${own}, false as retracted, null as "voidsStored",
        sum(octet_length(s.body)) over (order by s.stored) as bytes, octet_length(s.body) as size
      from (
        select * from statement r where ${along('r', { game: '$1', actor: '$2' }, 'stored', again)}
        ${orderAlong('r', { game: '$1', actor: '$2' }, 'stored', again)} limit ${batchStatements}) s
    ) n where bytes - size < ${batchBytes} order by stored`,
}
const moveRecount = { name: 'recount_move', text: 'update recount set after = $3 where game = $1 and actor = $2' }
const endRecount = { name: 'recount_end', text: 'delete from recount where game = $1 and actor = $2' }

interface TurnRow extends Omit<Turn, 'stored' | 'voids' | 'statement'> {
  readonly stored: string
  readonly body: string
  readonly voidsStored: string | null
  readonly voidsActor: Key
  readonly voidsVerb: Key
  readonly voidsActivity: Key | null
  readonly voidsBody: string
  readonly bytes: string
}

/** Tallies of the statements of each game, folded step by step. @param most statements of a step */
export function tallyStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>, most = batchStatements) {
  const next = nextTurns(most)
  return {
    /** Folds the next statements; counts and cursor change in one transaction. 'busy': another one holds the cursor. */
    fold: async (game: number): Promise<'more' | 'done' | 'busy'> =>
      transaction(async (run) => {
        const [cursor] = await run<{ stored: string }>(lockCursor, [game])
        if (!cursor) return 'busy'
        const rows = await run<TurnRow>(next, [game, cursor.stored])
        if (rows.length === 0) return recount(run, game, cursor.stored)
        const turns = await revisions(run, game, await turnsOf(rows))
        for (const counter of counters) await counter.add(run, game, turns)
        await addOfLearners(run, game, Number(cursor.stored), turns)
        const last = rows.at(-1)!
        await run(moveCursor, [game, last.stored])
        return isFull(rows, most) ? 'more' : recount(run, game, last.stored)
      }),

    /** Adds the game's cursor, which `fold` needs, and notes that its charts were opened. */
    begin: async (game: number): Promise<void> => void (await run(open, [game])),

    /** Games of this cell whose charts were opened lately and lack statements. */
    behind: async (): Promise<number[]> => (await run<{ game: number }>(behind, [])).map(({ game }) => game),
  }
}

export type TallyStore = ReturnType<typeof tallyStore>

const isFull = (rows: readonly TurnRow[], most = batchStatements) =>
  rows.length === most || Number(rows.at(-1)?.bytes ?? 0) >= batchBytes

/** @param cursor a statement at or before it was left out of the facts if it was voided then */
async function addOfLearners(run: Run, game: number, cursor: number, turns: readonly Turn[]): Promise<void> {
  const voided = new Set<Key>()
  for (const { voids } of turns) if (voids && voids.stored <= cursor) voided.add(voids.actor)
  if (voided.size > 0) await forgetLearners(run, game, [...voided], true)
  const actors = [...new Set(turns.map(({ actor }) => actor))]
  const waiting = new Set((await run<{ actor: Key }>(recounted, [game, actors])).map(({ actor }) => actor))
  await addCounted(
    run,
    game,
    turns.filter(({ actor }) => !waiting.has(actor)),
  )
}

async function addCounted(run: Run, game: number, turns: readonly Turn[]): Promise<void> {
  const counted = turns.filter(({ voided, voiding }) => !voided && !voiding)
  if (counted.length > 0) for (const counter of learnerCounters) await counter.add(run, game, counted)
}

/**
 * Takes off all that was counted of these learners. The caller holds the game's cursor.
 * @param again count their statements once more
 */
export async function forgetLearners(run: Run, game: number, actors: readonly Key[], again: boolean): Promise<void> {
  for (const counter of learnerCounters) await counter.forget(run, game, actors)
  await run(again ? addRecounts : endRecounts, [game, actors])
}

/** Counts the next statements of a learner once more, up to the cursor. */
async function recount(run: Run, game: number, cursor: string): Promise<'more' | 'done'> {
  const [next] = await run<{ actor: Key; after: string }>(nextRecount, [game])
  if (!next) return 'done'
  const rows = await run<TurnRow>(turnsAgain, [game, next.actor, next.after, cursor])
  await addCounted(run, game, await revisions(run, game, await turnsOf(rows)))
  if (isFull(rows)) await run(moveRecount, [game, next.actor, rows.at(-1)!.stored])
  else await run(endRecount, [game, next.actor])
  return 'more'
}

const turnsOf = (rows: readonly TurnRow[]): Promise<Turn[]> =>
  inSlices(rows, ({ body, voidsBody }) => body.length + (voidsBody?.length ?? 0), turnOf)

function turnOf(row: TurnRow): Turn {
  const { stored, body, voidsStored, voidsActor, voidsVerb, voidsActivity, voidsBody, ...turn } = row
  const voids: Countable | undefined =
    voidsStored === null
      ? undefined
      : {
          stored: Number(voidsStored),
          actor: voidsActor,
          verb: voidsVerb,
          activity: voidsActivity,
          statement: parse(voidsBody) as Statement,
        }
  return { ...turn, stored: Number(stored), statement: parse(body) as Statement, voids }
}
