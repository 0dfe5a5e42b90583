import type { Database } from '../../../process/database/database.ts'

/** Refused requests of one kind in one game on one day. */
export interface RefusalTally {
  readonly game: number
  /** UTC, such as `2026-11-21`. */
  readonly day: string
  /** UUID derived from reason, status, request and path. */
  readonly kind: string
  readonly reason: string
  readonly status: number
  readonly request: string
  readonly path: string
  readonly message: string
  /** Number of the build; 0: not known. */
  readonly build: number
  readonly count: number
  /** Milliseconds. */
  readonly last: number
}

/** Most kinds of one game on one day; further ones are counted as `otherKind`, which callers may use, too. */
const refusalKinds = 200
export const otherKind = '00000000-0000-0000-0000-000000000000'

const addRefusals = {
  name: 'add_refusals',
  text: `with given as (
      select * from unnest(
          $1::int[], $2::date[], $3::uuid[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::bigint[],
          $10::float8[], $11::int[])
        g (game, day, kind, reason, status, request, path, message, count, last, build)
    ),
    placed as (
      select g.*, k.kind is not null or
        row_number() over (partition by g.game, g.day, k.kind is null order by g.count desc)
          + (select count(*) from refusal_tally t where t.game = g.game and t.day = g.day) <= ${refusalKinds} as fits
      from given g left join refusal_tally k on k.game = g.game and k.day = g.day and k.kind = g.kind
    ),
    named as (
      select p.game, p.day, p.count, p.last, n.*
      from placed p cross join lateral (
        select p.kind, p.reason, p.status, p.request, p.path, p.message, p.build where p.fits
        union all
        select '${otherKind}', 'OTHER', 0, '', '', '', 0 where not p.fits) n
    ),
    -- ON CONFLICT must not update a row twice
    kept as (
      select distinct on (game, day, kind) game, day, kind, reason, status, request, path, message, build,
        sum(count) over (partition by game, day, kind) as count, last
      from named order by game, day, kind, last desc
    )
    insert into refusal_tally as t (game, day, kind, reason, status, request, path, message, count, last, build)
    select game, day, kind, reason, status, request, path, message, count, to_timestamp(last / 1000), build
    from kept order by game, day, kind
    on conflict (game, day, kind) do update set
      count = t.count + excluded.count,
      message = case when excluded.last >= t.last then excluded.message else t.message end,
      last = greatest(t.last, excluded.last)`,
}

const sweep = {
  name: 'refusals_sweep',
  text: `delete from refusal_tally where ctid = any (array(
      select ctid from refusal_tally where day < (now() at time zone 'UTC')::date - $1::int limit $2)) returning 1`,
}
const expire = { name: 'refusals_expire', text: 'delete from refusal_tally where game = $1 and day < $2::date' }

/** Counts of refused requests. */
export function refusalStore({ run }: Pick<Database, 'run'>) {
  return {
    /** Adds to the stored counts. */
    add: async (tallies: readonly RefusalTally[]): Promise<void> => {
      const column = <K extends keyof RefusalTally>(name: K) => tallies.map((tally) => tally[name])
      const names = [
        'game',
        'day',
        'kind',
        'reason',
        'status',
        'request',
        'path',
        'message',
        'count',
        'last',
        'build',
      ] as const
      await run(addRefusals, names.map(column))
    },

    /** Deletes at most `limit` counts of days longer ago than this; returns how many. */
    sweep: async (days: number, limit: number): Promise<number> => (await run(sweep, [days, limit])).length,

    /** Deletes what was counted of the game on days in UTC that end before. @param before microseconds */
    expire: async (game: number, before: number): Promise<void> =>
      void (await run(expire, [game, new Date(Math.floor(before / 1_000)).toISOString().slice(0, 10)])),
  }
}

export type RefusalStore = ReturnType<typeof refusalStore>
