import { plainActor, type Names, type Turn } from '../../rules/turn.ts'
import type { Key } from '../../../records/xapi/identify.ts'
import type { Database } from '../../../process/database/database.ts'
import { writeCopy, type Copy } from '../../../records/store/cell/copies.ts'
import { isHere, newestOf } from '../../../records/store/cell/current.ts'
import * as cursors from './cursors.ts'
import { countedNow, tryCursor, type Cursor } from './cursors.ts'
import { chartCounts, namesOfTurns } from './folds/chart-counts.ts'
import type { Run } from './folds/counter.ts'
import { learnerCounters } from './folds/counters.ts'
import { cutKey, cutTurns } from './folds/cuts.ts'
import { deleteSome } from './folds/leaving.ts'
import { revisions } from './folds/revisions.ts'
import { batchBytes, batchStatements, nextTurns, turnsAgain, turnsOf, type TurnRow } from './folds/turns.ts'
import { forgetActors } from './forget-counts.ts'
import type { FormerLearners } from './former-learners.ts'

/** Days for which core counts on after the charts were opened. */
const openDays = 7

const behind = {
  name: 'tally_behind',
  text: `select c.game from tally_cursor c join tenant g on g.game = c.game
    where ${isHere} and c.opened > now() - interval '${openDays} days'
      and (coalesce((${newestOf('c.game')}), 0) > coalesce(c.next, c.stored)
        or exists (select from recount r where r.game in (c.game, -c.game)) or c.leaving
        or not ${cursors.isMadeAsWanted})
    limit 1000`,
}
const addRecounts = {
  name: 'recount_add',
  text: `insert into recount as r (game, actor) select $1, * from unnest($2::uuid[])
    on conflict (game, actor) do update set after = 0`,
}
const recounted = { name: 'recount_of', text: 'select actor from recount where game = $1 and actor = any ($2::uuid[])' }
const nextRecount = { name: 'recount_next', text: 'select actor, after from recount where game = $1 limit 1' }
const moveRecount = { name: 'recount_move', text: 'update recount set after = $3 where game = $1 and actor = $2' }
const endRecount = { name: 'recount_end', text: 'delete from recount where game = $1 and actor = $2' }

type Folded = 'more' | 'done' | 'busy'

/** Tallies of the statements of each game, folded step by step. @param most statements of a step */
export function tallyStore(
  { run, transaction }: Pick<Database, 'run' | 'transaction'>,
  former: FormerLearners,
  most = batchStatements,
) {
  const next = nextTurns(most)

  /** Folds the next statements into the counts that are made now. */
  async function foldNext(run: Run, game: number, cursor: Cursor): Promise<Folded> {
    const place = cursor.next ?? cursor.stored
    const rows = await run<TurnRow>(next, [game, place])
    if (rows.length === 0) return recount(run, former, game, cursor, place)
    const counts = countedNow(cursor)
    const turns = await turnsOf(run, counts, cursor.wanted, rows)
    await revisions(run, game, turns)
    const names = await chartCounts(run, counts, turns, cursor.gameId)
    const voided = new Set<Key>()
    for (const { voids } of turns) if (voids && voids.stored <= place) voided.add(plainActor(voids))
    if (voided.size > 0) await run(addRecounts, [counts, [...voided]])
    const actors = [...new Set(turns.map(plainActor))]
    const waiting = new Set((await run<{ actor: Key }>(recounted, [counts, actors])).map(({ actor }) => actor))
    const counted = turns.filter((turn) => !waiting.has(plainActor(turn)))
    await addCounted(run, former, game, cursor, counted, names)
    const last = Number(rows.at(-1)!.stored)
    await cursors.moveCursor(run, game, cursor, last)
    return isFull(rows, most) ? 'more' : recount(run, former, game, cursor, last)
  }

  return {
    /** Folds the next statements; counts and cursor change in one transaction. 'busy': another one holds the cursor. */
    fold: async (game: number): Promise<Folded> =>
      transaction(async (run) => {
        const cursor = await tryCursor(run, game)
        if (!cursor) return 'busy'
        const { isCurrent, stored, leaving } = cursor
        if (!isCurrent && stored === 0) await cursors.adoptClock(run, game)
        else if (cursor.next !== null && (isCurrent || !cursor.isNextCurrent)) await cursors.giveUpNext(run, game)
        else if (!isCurrent && leaving) await leave(run, game, cursor)
        else if (!isCurrent && cursor.next === null) await cursors.beginNext(run, game)
        else {
          const folded = await foldNext(run, game, cursor)
          if (folded !== 'done' || (isCurrent && !leaving)) return folded
          if (isCurrent) await leave(run, game, cursor)
          else await cursors.showNext(run, game)
        }
        return 'more'
      }),

    /** Takes over zone and start of a game from the directory. */
    learn: (copy: Copy): Promise<void> => writeCopy(run, copy),

    /** Adds the game's cursor, which `fold` needs, and notes that its charts were opened. */
    begin: (game: number): Promise<void> => cursors.openCursor(run, game),

    /** Adds the cursor, without noting that charts were opened. */
    add: (game: number): Promise<void> => cursors.addCursor(run, game),

    /** Games of this cell whose charts were opened lately and lack statements. */
    behind: async (): Promise<number[]> => (await run<{ game: number }>(behind, [])).map(({ game }) => game),
  }
}

export type TallyStore = ReturnType<typeof tallyStore>

const isFull = (rows: readonly TurnRow[], most = batchStatements) =>
  rows.length === most || Number(rows.at(-1)?.bytes ?? 0) >= batchBytes

/** Deletes some rows of counts that are not shown any more. */
async function leave(run: Run, game: number, { shown }: Cursor): Promise<void> {
  if (!(await deleteSome(run, -shown)) && !(await deleteSome(run, cutKey(-shown)))) await cursors.endLeaving(run, game)
}

async function addCounted(
  run: Run,
  former: FormerLearners,
  game: number,
  cursor: Cursor,
  turns: readonly Turn[],
  names: Names,
): Promise<void> {
  const counted = turns.filter(({ voided, voiding }) => !voided && !voiding)
  if (counted.length === 0) return
  const people = counted.flatMap(({ actor, team }) => (team ? [] : actor))
  const firstDays = cursor.hasFormer ? await former.firstDays(run, game, people) : new Map<Key, number>()
  const known = { ...names, firstDays }
  const counts = countedNow(cursor)
  for (const counter of learnerCounters) await counter.add(run, counts, counted, known)
  const { cut } = cursor.wanted
  if (cut === null) return
  const cutTogether = await cutTurns(run, cutKey(counts), cut, counted)
  for (const counter of learnerCounters) await counter.add(run, cutKey(counts), cutTogether, known)
}

/** Counts the next statements of a learner once more, up to the cursor. */
async function recount(run: Run, former: FormerLearners, game: number, cursor: Cursor, place: number): Promise<Folded> {
  const counts = countedNow(cursor)
  const [next] = await run<{ actor: Key; after: string }>(nextRecount, [counts])
  if (!next) return 'done'
  const { actor, after } = next
  if (Number(after) === 0) await forgetActors(run, counts, [actor], cursor.hasCut)
  const rows = await run<TurnRow>(turnsAgain, [game, actor, after, place])
  const turns = await turnsOf(run, counts, cursor.wanted, rows)
  await revisions(run, game, turns)
  await addCounted(run, former, game, cursor, turns, await namesOfTurns(run, counts, turns, cursor.gameId))
  if (isFull(rows)) await run(moveRecount, [counts, actor, rows.at(-1)!.stored])
  else await run(endRecount, [counts, actor])
  return 'more'
}
