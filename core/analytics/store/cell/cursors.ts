import type { Counted } from '../../rules/counted.ts'
import { definitions } from '../../rules/definitions.ts'
import type { Database } from '../../../process/database/database.ts'
import { isHere } from '../../../records/store/cell/current.ts'
import type { Run } from './folds/counter.ts'

/** How times become days, and what else is counted apart: what counts were made with. */
export interface Clock {
  /** Of the IANA database. */
  readonly zone: string
  /** Milliseconds; null: the studio has not set it. */
  readonly start: number | null
  /** Null: there is none. */
  readonly cut: string | null
}

/** Which counts of a game are shown, and which are made beside them. The row of a game is locked by who counts. */
export interface Cursor {
  /** Key of the counts that are shown: the game's number, or the negative one. */
  readonly shown: number
  readonly stored: number
  /** They were made with today's definitions, and in what is now the zone and the start. */
  readonly isCurrent: boolean
  /** They were made by this version, so what they have of a learner can be taken off. */
  readonly isKnown: boolean
  /** Place that the counts beside them have reached; null: there are none. */
  readonly next: number | null
  readonly isNextCurrent: boolean
  /** There may be counts of a cut. */
  readonly hasCut: boolean
  /** Counts that are not shown any more are to be deleted. */
  readonly leaving: boolean
  /** What the counts that are shown were made with, and what they are to be made with. */
  readonly own: Clock
  readonly wanted: Clock
  readonly gameId: string
  /** Statements of its learners have expired. */
  readonly hasFormer: boolean
}

const clock = 'zone, start, definitions, cut'
const lowest = '00000000-0000-0000-0000-000000000000'
const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
// cores of versions that know no cut take counts with one for counts of other definitions, and leave them alone
const wanted = `g.zone, g.start, ${definitions} + (g.cut is not null)::int, g.cut`
/** SQL: the counts that are shown were made with what is set now. */
export const isMadeAsWanted = `(c.zone, c.start, c.definitions, c.cut) is not distinct from (${wanted})`
const columns = `c.shown * c.game as shown, c.stored::float8 as stored, c.next::float8 as next, c.leaving,
  ${isMadeAsWanted} as "isCurrent",
  c.definitions = ${definitions} + (c.cut is not null)::int as "isKnown",
  (c.next_zone, c.next_start, c.next_definitions, c.next_cut) is not distinct from (${wanted}) as "isNextCurrent",
  c.leaving or coalesce(c.cut, c.next_cut, g.cut) is not null as "hasCut",
  jsonb_build_object('zone', c.zone, 'start', c.start, 'cut', c.cut) as own,
  jsonb_build_object('zone', g.zone, 'start', g.start, 'cut', g.cut) as wanted,
  coalesce((select p.uuid from tenant p where p.game = g.sandbox_of), g.uuid) as "gameId",
  (select true from former_learner f where (f.game, f.learner) >= (c.game, '${lowest}')
    and (f.game, f.learner) <= (c.game, '${highest}') order by f.game, f.learner limit 1) is true as "hasFormer"`
// a cell that the game has left does not see what was voided since
const lock = (skip: string) => `select ${columns} from tally_cursor c join tenant g on g.game = c.game
  where c.game = $1 and ${isHere} for update of c ${skip}`
const tryLock = { name: 'tally_lock', text: lock('skip locked') }
const waitLock = { name: 'tally_hold', text: lock('') }
const add = (opened: string) => `insert into tally_cursor (game, opened, ${clock})
  select g.game, ${opened}, ${wanted} from tenant g where g.game = $1 on conflict do nothing`
const open = {
  name: 'tally_open',
  // who counts holds the row: opening must not wait for it, and `on conflict do update` would
  text: `with added as (${add('now()')})
    update tally_cursor set opened = now() where ctid = any (array(
      select ctid from tally_cursor where game = $1 and opened < now() - interval '1 hour' for update skip locked))`,
}
const addUnopened = { name: 'tally_add_cursor', text: add("'1970-01-01'") }
const move = { name: 'tally_move', text: 'update tally_cursor set stored = $2 where game = $1' }
const moveNext = { name: 'tally_move_next', text: 'update tally_cursor set next = $2 where game = $1' }
const adopt = {
  name: 'tally_adopt',
  text: `update tally_cursor c set (${clock}) = (${wanted}) from tenant g where c.game = $1 and g.game = $1`,
}
const begin = {
  name: 'tally_begin_next',
  text: `update tally_cursor c set next = 0, (next_zone, next_start, next_definitions, next_cut) = (${wanted})
    from tenant g where c.game = $1 and g.game = $1`,
}
const swap = {
  name: 'tally_swap',
  text: `update tally_cursor set shown = -shown, stored = next, zone = next_zone, start = next_start,
    definitions = next_definitions, cut = next_cut, next = null, leaving = true where game = $1`,
}
const giveUp = {
  name: 'tally_give_up',
  text: 'update tally_cursor set next = null, leaving = true where game = $1',
}
const left = { name: 'tally_left', text: 'update tally_cursor set leaving = false where game = $1' }

type CursorRow = Cursor & Record<string, unknown>
export const openCursor = async (run: Run, game: number): Promise<void> => void (await run(open, [game]))
export const addCursor = async (run: Run, game: number): Promise<void> => void (await run(addUnopened, [game]))
/** Undefined: another one holds it, or there is none. */
export const tryCursor = async (run: Run, game: number): Promise<Cursor | undefined> =>
  (await run<CursorRow>(tryLock, [game]))[0]
/** Waits for it. Undefined: there is none. */
export const holdCursor = async (run: Run, game: number): Promise<Cursor | undefined> =>
  (await run<CursorRow>(waitLock, [game]))[0]

const step = (query: { name: string; text: string }) => async (run: Run, game: number) =>
  void (await run(query, [game]))
/** Nothing was counted so far: it will be with today's clock. */
export const adoptClock = step(adopt)
export const beginNext = step(begin)
export const showNext = step(swap)
/** The clock has changed again. */
export const giveUpNext = step(giveUp)
export const endLeaving = step(left)

/** Key of the counts that are made now. */
export const countedNow = ({ shown, next }: Cursor): number => (next === null ? shown : -shown)

export const moveCursor = async (run: Run, game: number, { next }: Cursor, stored: number): Promise<void> =>
  void (await run(next === null ? move : moveNext, [game, stored]))

/** Which counts are read, and how far they are. */
export interface Reached extends Counted {
  /** Key. */
  readonly counts: number
  /** Null: there is none. */
  readonly cut: string | null
}

const behindAtMost = 1_000_000
const reached = {
  name: 'tally_reached',
  text: `select k.counts, k.stored::float8 as until, k.recounting, k.zone, k.cut,
      (select count(*) from (
        (select from statement where game = $1 and stored > k.counted limit ${behindAtMost})
        union all (select from recount where game = k.made limit ${behindAtMost})) s)::float8 as behind,
      (select coalesce(sum(v.statements), 0) from verb_tally v
        where v.game = k.counts and v.day = '1970-01-01')::float8 as "otherDays"
    from (
      select coalesce(c.shown, 1) * $1::int as counts, coalesce(c.stored, 0) as stored,
        coalesce(c.zone, 'UTC') as zone, c.cut, c.next is not null as recounting,
        coalesce(c.next, c.stored, 0) as counted,
        case when c.next is null then coalesce(c.shown, 1) else -c.shown end * $1::int as made
      from (select) one left join tally_cursor c on c.game = $1) k`,
}
export const reachedBy = async (run: Database['run'], game: number): Promise<Reached> =>
  (await run<Reached & Record<string, unknown>>(reached, [game]))[0]!
