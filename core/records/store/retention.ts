import { retention as limits } from '../../../shared/limits.ts'
import { column, done, first, sql, type Database } from '../../process/database/database.ts'
import { leases, type Leased } from './leases.ts'

/** Months for which data of a game is kept; null: for good. */
export interface Kept {
  readonly statements: number | null
  readonly learners: number | null
  readonly sandbox: number | null
}

/** What is older goes: microseconds; null: nothing. */
export interface Cutoffs {
  readonly statementsBefore: number | null
  readonly learnersBefore: number | null
  readonly sandboxBefore: number | null
}

export interface RetentionRun extends Cutoffs {
  readonly id: string
  /** Seconds since 1970. */
  readonly started: number
  /** Seconds since 1970; null: it is under way. */
  readonly ended: number | null
  readonly stopped: boolean
  readonly counts: Readonly<Record<string, number | null>> | null
}

/** A game, with its tenants. */
export interface KeptGame extends Kept {
  readonly game: number
  readonly gameId: string
  /** The tenant of its sandbox; null: it has none. */
  readonly sandboxGame: number | null
  readonly deleted: boolean
}

/** A game whose run this core does. */
export type LeasedGame = KeptGame & Leased

const ofGame = `select g.id as game, g.uuid as "gameId", s.id as "sandboxGame", g.deleted is not null as deleted,
    r.statements, r.learners, r.sandbox
  from game g left join game s on s.sandbox_of = g.id left join retention r on r.game = g.id`
const get = sql('retention_get')`${ofGame} where g.uuid = $1 and g.sandbox_of is null and g.deleted is null
    and ($2::int is null or g.studio = $2)`
const runs = sql('retention_runs')`
  select uuid as id, extract(epoch from started)::float8 as started, extract(epoch from ended)::float8 as ended,
      statements_before::float8 as "statementsBefore", learners_before::float8 as "learnersBefore",
      sandbox_before::float8 as "sandboxBefore", stopped, counts
    from retention_run where game = $1 order by started desc limit ${limits.receipts}`
const set = sql('retention_set')`
  with stopped as (update retention_run set stopped = true where game = $1 and ended is null)
    insert into retention (game, statements, learners, sandbox) values ($1, $2, $3, $4)
    on conflict (game) do update set statements = excluded.statements, learners = excluded.learners,
      sandbox = excluded.sandbox, next_run = now(), leased = null, attempts = retention.attempts + 1`
const leased = leases('retention', { key: 'game' })
const lease = sql('retention_lease')`
  with taken as (${leased.take({ due: 't.next_run <= now()', order: 't.next_run' })} returning *)
    select kept.*, kept.game as id, taken.attempts from taken join (${ofGame}) kept on kept.game = taken.game`
const underWay = sql('retention_under_way')`
  select uuid as id, extract(epoch from started)::float8 as started, null as ended,
      statements_before::float8 as "statementsBefore", learners_before::float8 as "learnersBefore",
      sandbox_before::float8 as "sandboxBefore", stopped, counts
    from retention_run where game = $1 and ended is null order by started limit 1`
const begin = sql('retention_begin')`
  insert into retention_run (game, statements_before, learners_before, sandbox_before) values ($1, $2, $3, $4)`
const finish = sql('retention_finish')`
  update retention_run set ended = now(), counts = $2 where uuid = $1 and ended is null`
// a run that found nothing leaves no receipt
const drop = sql('retention_drop')`delete from retention_run where uuid = $1`
const trim = sql('retention_trim')`delete from retention_run where game = $1 and ended is not null and uuid not in (
    select uuid from retention_run where game = $1 order by started desc limit ${limits.receipts})`
// the next one is tomorrow; games do not all begin at the same time
const rest = sql('retention_rest')`update retention set leased = null, next_run = case when $3 then now()
      else date_trunc('day', now(), 'UTC') + interval '1 day' + random() * interval '6 hours' end
    where ${leased.isMine}`
const recently = `exists (select from launch o where o.learner = l.uuid and o.created >= to_timestamp($2 / 1e6))
  or exists (select from invitation i where i.learner = l.uuid and i.last_used >= to_timestamp($2 / 1e6))`
const idle = sql('retention_idle')`
  select uuid as id from learner l where game = $1 and kind in ('player', 'invited') and uuid > $3
      and created < to_timestamp($2 / 1e6) and not (${recently})
    order by uuid limit $4`
const active = sql('retention_active')`
  select uuid as id from learner l where game = $1 and kind in ('player', 'invited') and (${recently})`

/** How long data of games is kept, and what was removed because of it. */
export function retentionStore({ run, transaction }: Database) {
  return {
    /** Undefined: there is no such game. @param studio must own it; undefined: any game */
    get: (gameId: string, studio: number | undefined) => first(run<KeptGame>(get, [gameId, studio ?? null])),

    /** The newest first. */
    runs: (game: number) => run<RetentionRun>(runs, [game]),

    /** Sets it; a run begins soon, and one that is under way ends. */
    set: (game: number, { statements, learners, sandbox }: Kept) =>
      done(run(set, [game, statements, learners, sandbox])),

    /** Takes a game whose run is due. */
    lease: (seconds: number) => first(run<LeasedGame>(lease, [seconds])),
    ...leased.on(run),

    /** The run that is under way, or a new one. */
    begin: (game: number, of: Cutoffs): Promise<RetentionRun> =>
      transaction(async (run) => {
        const [before] = await run<RetentionRun>(underWay, [game])
        if (before) return before
        await run(begin, [game, of.statementsBefore, of.learnersBefore, of.sandboxBefore])
        return (await run<RetentionRun>(underWay, [game]))[0]!
      }),

    /** Ends a run. @param counts undefined: it removed nothing @param again another one begins at once */
    finish: (
      { game, attempts }: LeasedGame,
      id: string,
      counts: RetentionRun['counts'] | undefined,
      again: boolean,
    ): Promise<void> =>
      transaction(async (run) => {
        await (counts ? run(finish, [id, JSON.stringify(counts)]) : run(drop, [id]))
        await run(trim, [game])
        await run(rest, [game, attempts, again])
      }),

    /** Accounts that the player made for the game and that no session used since, after this id. */
    idle: (game: number, before: number, after: string, limit: number) =>
      column<string>(run(idle, [game, before, after, limit])),

    /** Accounts that a session used since. */
    active: (game: number, since: number) => column<string>(run(active, [game, since])),
  }
}
