import { retention } from '../../../../shared/limits.ts'
import type { Key } from '../../xapi/identify.ts'
import { only, sql, type Database } from '../../../process/database/database.ts'
import { along, everything, exactly, orderAlong } from '../../../process/database/look.ts'
import type { Expired } from './expiry-counts.ts'
import { statementOf } from './statement-of.ts'

/** A statement, and where it is. */
export interface StatementPlace {
  /** UUID. */
  readonly id: string
  readonly stored: number
}

type Found = Pick<Expired, 'statements' | 'first' | 'last'>
const since = { after: '$3', until: everything.until, ascending: true }

const descending = { ...everything, ascending: false }
const untilBefore = { after: '0', until: '$2::bigint - 1', ascending: true }
const ofActor = { game: '$1', actor: 'a.actor' }

// one actor after the other, along the index
const next = (after: string) =>
  `select r.actor from statement r where (r.game, r.actor, r.stored) > ($1, ${after}, ${everything.until})
    and (r.game, r.actor, r.stored) <= ($1, 'ffffffff-ffff-ffff-ffff-ffffffffffff', ${everything.until})
    order by r.game, r.actor, r.stored limit 1`
const ofFound = { game: '$1', actor: 'f.actor' }
const lastSeen = sql('expiry_last_seen')`with recursive found (actor, n) as (
      (select *, 1 from (${next('$2::uuid')}) f)
      union all
      select f.actor, before.n + 1 from found before cross join lateral (${next('before.actor')}) f where before.n < $3)
    select replace(f.actor::text, '-', '') as actor, l.stored::float8 as stored from found f
    cross join lateral (
      select r.stored from statement r where ${along('r', ofFound, 'stored', descending)}
      ${orderAlong('r', ofFound, 'stored', descending)} limit 1) l`
export const seenOf = sql('expiry_seen_of')`
  select replace(a.actor::text, '-', '') as actor, l.stored::float8 as stored from unnest($2::uuid[]) a (actor)
    cross join lateral (
      select r.stored from statement r where ${along('r', ofActor, 'stored', descending)}
      ${orderAlong('r', ofActor, 'stored', descending)} limit 1) l`
const countOld = sql('expiry_count_old')`
  select count(*)::float8 as statements, min(stored)::float8 as first, max(stored)::float8 as last from (
      select s.stored from statement s where ${along('s', { game: '$1' }, 'stored', untilBefore)}
      ${orderAlong('s', { game: '$1' }, 'stored', untilBefore)} limit ${retention.counted + 1}) s`
const countOf = sql('expiry_count_of')`
  select count(*)::float8 as statements, min(s.stored)::float8 as first, max(s.stored)::float8 as last
    from unnest($2::uuid[]) a (actor)
    cross join lateral (select r.stored from statement r where ${along('r', ofActor, 'stored', since)}
      offset 0) s`
type Voiding = { readonly stored: number; readonly target: number | null; readonly targetId: string }
// a statement has one target; `target`: what it has voided
const voiding = sql('expiry_voiding')`select s.stored::float8 as stored, t.stored::float8 as target, t.id as "targetId"
    from unnest($2::bigint[]) n (stored)
    cross join lateral (select * from statement r where ${exactly('r', { game: '$1', stored: 'n.stored' })} limit 1) s
    left join lateral (${statementOf('$1', 's.target')}) t on t.voided where s.voids`
const placesOf = sql('expiry_places_of')`select s.stored::float8 as stored, s.id from unnest($2::uuid[]) n (id)
    cross join lateral (${statementOf('$1', 'n.id')}) s order by s.stored`
/** What has been kept long enough, and what is to be deleted. */
export function expiryLooks({ run }: Pick<Database, 'run'>) {
  return {
    /** The learners of a game after this key, by key, with when their last statement was stored. */
    lastSeen: (game: number, after: Key, limit: number) =>
      run<{ actor: Key; stored: number }>(lastSeen, [game, after, limit]),

    /** When the last statement of these learners was stored; without those who have none. */
    seenOf: (game: number, actors: readonly Key[]) => run<{ actor: Key; stored: number }>(seenOf, [game, actors]),

    /** What would go: statements stored before. */
    countOld: (game: number, before: number) => only(run<Found>(countOld, [game, before])),
    /** What would go: statements of some learners that were stored after. */
    countOf: (game: number, actors: readonly Key[], after: number) => only(run<Found>(countOf, [game, actors, after])),

    /** Those of these statements that void, each with what it has voided; null: nothing. */
    voiding: (game: number, places: readonly number[]) => run<Voiding>(voiding, [game, places]),
    /** The places of these ids, as far as they are stored; the oldest first. */
    placesOf: (game: number, ids: readonly string[]) => run<StatementPlace>(placesOf, [game, ids]),
  }
}
