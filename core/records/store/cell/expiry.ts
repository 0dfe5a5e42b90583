import type { Key } from '../../xapi/identify.ts'
import { done, sql, type Database, type Run } from '../../../process/database/database.ts'
import { along, everything, exactly, orderAlong } from '../../../process/database/look.ts'
import { isHere } from './current.ts'
import type { Counting, RemovedStatement } from './counting.ts'
import { addExpired } from './expiry-counts.ts'
import { countErasure, lockOrder, stays } from './expiry-locks.ts'
import { seenOf } from './expiry-looks.ts'
import { agentsNamedIn, expiryNames, type NamedAgent } from './expiry-names.ts'
import { recount } from './game-bytes.ts'
import { tellAll } from './tell.ts'

/** Which statements of a game go: those that were stored before, of everybody or of some learners. */
export interface Doomed {
  /** Microseconds. */
  readonly before: number
  /** Undefined: of everybody. */
  readonly actors?: readonly Key[]
  /** Keyed hashes of the people are kept, so that who returns is not new. */
  readonly remember?: boolean
}

/** Statements that a deletion names, by `stored`. */
export interface Named {
  readonly places: readonly number[]
}

type Row = Omit<RemovedStatement, 'stored'> & { readonly stored: string; readonly bytes: number }
/** Bytes of bodies that a step reads, or one statement. */
const stepBytes = 4 * 1024 * 1024
const bytes = 'octet_length(s.body) as bytes'
const ascending = { ...everything, ascending: true }
const untilBefore = { after: '0', until: '$2::bigint - 1', ascending: true }
const ofActor = { game: '$1', actor: 'a.actor' }

const beforeOfActor = { after: '0', until: '$4::bigint - 1', ascending: true }
const oldest = sql('expiry_oldest')`select s.stored, s.actor, s.registration, ${bytes} from statement s
    where ${along('s', { game: '$1' }, 'stored', untilBefore)} ${orderAlong('s', { game: '$1' }, 'stored', untilBefore)}
    limit $3`
const ofActors = sql(
  'expiry_of_actors',
)`select s.stored, a.actor, s.registration, ${bytes} from unnest($2::uuid[]) a (actor)
    cross join lateral (
      select r.stored, r.registration, r.body from statement r where ${along('r', ofActor, 'stored', beforeOfActor)}
      ${orderAlong('r', ofActor, 'stored', beforeOfActor)} limit $3) s
    limit $3`
const named = sql(
  'expiry_named',
)`select s.stored, s.actor, s.registration, ${bytes} from unnest($2::bigint[]) n (stored)
    cross join lateral (select * from statement r where ${exactly('r', { game: '$1', stored: 'n.stored' })} limit 1) s`
const bury = sql('expiry_bury')`with c as (update credential set expires = true where game = $1 and not expires)
    insert into expired_statement (game, id, until)
    select s.game, s.id, $3::int from unnest($2::bigint[]) n (stored)
    cross join lateral (
      select r.game, r.id from statement r where ${exactly('r', { game: '$1', stored: 'n.stored' })} limit 1) s
    on conflict (game, id) do update set until = excluded.until`
const remove = sql('expiry_remove')`
  select * from erase_statements(array_fill($1::int, array[cardinality($2::bigint[])]), $2)`
const there = `exists (select from tenant g cross join lateral (
  select true from statement r where ${along('r', { game: 'g.game', actor: 'n.agent' }, 'stored', ascending)}
  ${orderAlong('r', { game: 'g.game', actor: 'n.agent' }, 'stored', ascending)} limit 1) s where ${isHere})`
const names = sql('expiry_names')`with gone as (
      delete from agent_name n where n.agent = any ($1::uuid[]) and not ${there} returning name)
    select count(name)::int as count from gone`
const sweep = sql('expiry_sweep')`delete from expired_statement where ctid = any (array(
      select ctid from expired_statement where until < $1 limit $2)) returning 1`

function findAll(run: Run, game: number, doomed: Doomed | Named, limit: number): Promise<Row[]> {
  if ('places' in doomed) return run<Row>(named, [game, doomed.places])
  const { before, actors } = doomed
  return actors ? run<Row>(ofActors, [game, actors, limit, before]) : run<Row>(oldest, [game, before, limit])
}

/** Removes what has been kept long enough, in small transactions (docs/adr/0020-retention.md). */
export function expiryStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>, counting: Counting) {
  const { holdCounts, takeOffDays, forgetDays, forgetLearners, takeOffSeen, forgetSeen, rememberFormer } = counting

  async function find(run: Run, game: number, doomed: Doomed | Named, limit: number) {
    let sum = 0
    const all = await findAll(run, game, doomed, limit)
    const rows = all.filter(({ bytes }, index) => (sum += bytes) <= stepBytes || index === 0)
    return { rows, isCut: rows.length < all.length }
  }

  return {
    ...expiryNames({ run, transaction }),

    /**
     * Removes the next statements, at most `limit` and 4 MiB, with what finds them and what was counted of them.
     * Writers of the cell wait only for the last part. Returns how many (0: none is left), whether there were too many
     * bytes for all, for how many milliseconds writers waited, and whom the statements named that have expired; 'busy':
     * the game is being moved.
     * @param until day up to which their ids are kept
     */
    async step(
      id: string,
      game: number,
      doomed: Doomed | Named,
      limit: number,
      until: number,
    ): Promise<{ removed: number; isCut: boolean; waited: number; agents: readonly NamedAgent[] } | 'busy'> {
      let began = Infinity
      let isCut = false
      let agents: readonly NamedAgent[] = []
      const removed = await transaction(async (run) => {
        const [here] = await run<{ stays: boolean }>(stays, [game])
        if (!here!.stays) return 'busy'
        const isCounted = await holdCounts(run, game)
        const found = await find(run, game, doomed, limit)
        const { rows } = found
        isCut = found.isCut
        const places = rows.map(({ stored }) => Number(stored))
        const last = Math.max(...places)
        if (isCounted && rows.length > 0) {
          await forgetLearners(run, game, [...new Set(rows.map(({ actor }) => actor))], true)
          await takeOffDays(run, game, places)
        }
        if ('before' in doomed && doomed.remember && rows.length > 0) await rememberFormer(run, game, places)
        if (isCounted && 'before' in doomed && rows.length === 0) await forgetDays(run, game, doomed.before)
        if (rows.length === 0) return 0
        agents = 'before' in doomed ? await agentsNamedIn(run, game, places) : []
        const removed = rows.map((row) => ({ ...row, stored: Number(row.stored) }))
        await takeOffSeen(run, game, removed)
        await run(lockOrder, [])
        began = performance.now()
        await run(bury, [game, places, until])
        const [gone] = await run<{ statements: number; attachments: number }>(remove, [game, places])
        await addExpired(run, id, game, false, { ...gone!, first: Math.min(...places), last })
        return rows.length
      })
      return removed === 'busy' ? removed : { removed, isCut, waited: Math.max(0, performance.now() - began), agents }
    },

    /**
     * Forgets the names of learners who have no statement left, and what was counted of them. Returns those; a learner
     * who came back meanwhile is left out.
     */
    async forget(id: string, game: number, actors: readonly Key[]): Promise<Key[] | 'busy'> {
      // so that there is little left to write while writers wait
      await run(tellAll, [])
      return transaction(async (run) => {
        const [here] = await run<{ stays: boolean }>(stays, [game])
        if (!here!.stays) return 'busy'
        const isCounted = await holdCounts(run, game)
        await run(lockOrder, [])
        await run(tellAll, [])
        const back = new Set((await run<{ actor: Key }>(seenOf, [game, actors])).map(({ actor }) => actor))
        const gone = actors.filter((actor) => !back.has(actor))
        if (isCounted) await forgetLearners(run, game, gone, false)
        for (const actor of gone) await forgetSeen(run, [game], actor)
        const [told] = await run<{ count: number }>(names, [gone])
        if (told!.count > 0) await run(countErasure, [])
        await addExpired(run, id, game, false, { learners: gone.length, names: told!.count })
        return gone
      })
    },

    /** Counts the bytes of the game again, from all its statements. */
    recountBytes: (game: number) => done(run(recount, [[game]])),

    /** Deletes at most `limit` ids that were kept up to a day before this one; returns how many. */
    sweepIds: async (today: number, limit: number): Promise<number> => (await run(sweep, [today, limit])).length,
  }
}
