import { furtherLimits, portalLimits, type CountedLimit } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import type { Database } from './database.ts'

const limits = { ...portalLimits, ...furtherLimits }

const takeOne = {
  name: 'portal_window_take',
  text: `with begin as (select case when $3::int is null then date_trunc('day', now(), 'UTC') else now() end as at)
    insert into portal_window as w (bucket, owner, started, count) select $1, $2, at, 1 from begin
    on conflict (bucket, owner) do update set
      count = case when w.started <= excluded.started - make_interval(secs => coalesce($3, 1)) then 1 else least(w.count, 1000000) + 1 end,
      started = case when w.started <= excluded.started - make_interval(secs => coalesce($3, 1)) then excluded.started else w.started end
    returning count`,
}

const forgetOne = { name: 'portal_window_forget', text: 'delete from portal_window where bucket = $1 and owner = $2' }

const countToday = {
  name: 'portal_window_today',
  text: `select count from portal_window where bucket = $1 and owner = $2 and started = date_trunc('day', now(), 'UTC')`,
}

const giveBack = { name: 'portal_window_give_back', text: 'update portal_window set count = greatest(0, count - 1) where bucket = $1 and owner = $2' }

/** Counts the portal's requests in the database: exact over all cores, kept over restarts. */
export function portalLimitStore({ run }: Pick<Database, 'run'>) {
  /** Counts one; false when the window is used up. With the `run` of a transaction a rollback takes the count back. */
  async function take(name: CountedLimit, owner: string, on: Database['run'] = run): Promise<boolean> {
    const { limit, seconds } = limits[name]
    const [row] = await on<{ count: number }>(takeOne, [name, owner, seconds === 'utc-day' ? null : seconds])
    return row!.count <= limit
  }
  return {
    take,
    /** @throws Refusal 'rate-limited' with the limit's name as its rule */
    async require(name: CountedLimit, owner: string, on?: Database['run']): Promise<void> {
      if (!(await take(name, owner, on))) throw new Refusal('rate-limited', 'Too many requests', { rule: `limits#${name}` })
    },
    /** Takes back one that was counted for what then failed for a reason of ours, or did not fail. */
    giveBack: async (name: CountedLimit, owner: string): Promise<void> => void (await run(giveBack, [name, owner])),
    /** Takes back all. */
    forget: async (name: CountedLimit, owner: string): Promise<void> => void (await run(forgetOne, [name, owner])),
    /** What has been counted since 00:00 UTC. */
    today: async (name: CountedLimit, owner: string): Promise<number> => (await run<{ count: number }>(countToday, [name, owner]))[0]?.count ?? 0,
  }
}
