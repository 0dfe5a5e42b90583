import { portalLimits, type PortalLimit } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import type { Database } from './database.ts'

/** A limit as it is counted; `utc-day`: from 00:00 to 24:00 UTC. */
export interface CountedLimit {
  readonly limit: number
  readonly seconds: number | 'utc-day'
}

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
  async function take(bucket: string, owner: string, { limit, seconds }: CountedLimit, on: Database['run'] = run): Promise<boolean> {
    const [row] = await on<{ count: number }>(takeOne, [bucket, owner, seconds === 'utc-day' ? null : seconds])
    return row!.count <= limit
  }
  return {
    take,
    /** @throws Refusal 'rate-limited' with the limit's name as its rule */
    async require(name: PortalLimit, owner: string, on?: Database['run']): Promise<void> {
      if (!(await take(name, owner, portalLimits[name], on))) throw new Refusal('rate-limited', 'Too many requests', { rule: `limits#${name}` })
    },
    /** Takes back one that was counted for what then failed for a reason of ours, or did not fail. */
    giveBack: async (bucket: string, owner: string): Promise<void> => void (await run(giveBack, [bucket, owner])),
    /** Takes back all. */
    forget: async (bucket: string, owner: string): Promise<void> => void (await run(forgetOne, [bucket, owner])),
    /** What has been counted since 00:00 UTC. */
    today: async (bucket: string, owner: string): Promise<number> => (await run<{ count: number }>(countToday, [bucket, owner]))[0]?.count ?? 0,
  }
}
