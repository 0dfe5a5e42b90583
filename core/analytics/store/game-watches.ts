import { did, done, first, sql, type Database, type Run } from '../../process/database/database.ts'
import { leases, type Leased } from '../../records/store/leases.ts'
import type { Raised } from '../rules/alerts.ts'

/** Kinds of alerts that are off, and alerts that are not over. */
export interface Alerts {
  readonly off: readonly string[]
  readonly raised: Raised
}

/** A game that this core looks at. Its id is the game's number. */
export interface LeasedWatch extends Leased, Alerts {
  readonly id: number
  /** UUID. */
  readonly gameId: string
  readonly name: string
  /** Null: the game has left its studio, or is deleted. */
  readonly studio: number | null
}

const leased = leases('game_watch', { key: 'game', open: 'leased is not null' })
const lease = sql('game_watch_lease')`with taken as (
      ${leased.take({ due: 't.due <= now()', order: 't.due' })} returning game, attempts, off, raised)
    select t.game as id, t.attempts, t.off, t.raised, g.uuid as "gameId", g.name,
      case when g.deleted is null then g.studio end as studio
    from taken t join game g on g.id = t.game`
const postpone = sql('game_watch_postpone')`update game_watch
    set leased = null, due = now() + make_interval(secs => $3), raised = coalesce($4::jsonb, raised)
    where ${leased.isOpen} returning 1`
const forget = sql('game_watch_forget')`delete from game_watch where ${leased.isMine}`
// spread over an hour, so that games of one import are not looked at together
const add = sql('game_watch_add')`insert into game_watch (game, due)
    select g.id, now() + random() * interval '1 hour' from game g
    where g.sandbox_of is null and g.studio is not null and g.deleted is null
      and not exists (select from game_watch w where w.game = g.id)
    limit $1 on conflict do nothing returning 1`
const get = sql('game_watch_get')`select off, raised from game_watch where game = $1`
const setOff = sql('game_watch_set_off')`insert into game_watch (game, off, due) values ($1, $2, now())
    on conflict (game) do update set off = excluded.off`

/** Games that are looked at for alerts, in the directory. One core at a time looks at a game. */
export const gameWatchStore = ({ run, essential }: Pick<Database, 'run' | 'essential'>) => ({
  /** Begins to watch games of studios; returns how many. */
  add: async (most: number): Promise<number> => (await essential(add, [most])).length,
  lease: (seconds: number) => first(essential<LeasedWatch>(lease, [seconds])),
  ...leased.on(essential),
  /** False: another core has it. @param seconds until it is due again @param raised undefined: as before */
  postpone: ({ id, attempts }: Leased, seconds: number, raised: Raised | undefined, inTransaction: Run = essential) =>
    did(inTransaction(postpone, [id, attempts, seconds, raised === undefined ? null : JSON.stringify(raised)])),
  forget: ({ id, attempts }: Leased) => done(essential(forget, [id, attempts])),
  get: async (game: number): Promise<Alerts> => (await first(run<Alerts>(get, [game]))) ?? { off: [], raised: {} },
  setOff: (game: number, off: readonly string[]) => done(run(setOff, [game, off])),
})
