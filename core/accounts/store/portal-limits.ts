import { furtherLimits, portalLimits, wideNetworkFactor, type CountedLimit } from '../../../shared/limits.ts'
import { Refusal } from '../../process/refusal.ts'
import { crowdOf, senderOf } from '../../process/rules/network.ts'
import { done, sql, type Database, type Run } from '../../process/database/database.ts'
import { ours } from '../../../shared/say.ts'

const limits = { ...portalLimits, ...furtherLimits }

const takeOne = sql('portal_window_take')`
  with begin as (select case when $3::int is null then date_trunc('day', now(), 'UTC') else now() end as at)
    insert into portal_window as w (bucket, owner, started, count) select $1, $2, at, 1 from begin
    on conflict (bucket, owner) do update set
      count = case when w.started <= excluded.started - make_interval(secs => coalesce($3, 1)) then 1
        else least(w.count, 1000000) + 1 end,
      started = case when w.started <= excluded.started - make_interval(secs => coalesce($3, 1)) then excluded.started
        else w.started end
    returning count, ceil(extract(epoch from started - now()) + coalesce($3, 86400))::int as left`

const forgetOne = sql('portal_window_forget')`delete from portal_window where bucket = $1 and owner = $2`

const countToday = sql('portal_window_today')`select count from portal_window
    where bucket = $1 and owner = $2 and started = date_trunc('day', now(), 'UTC')`

const giveBack = sql('portal_window_give_back')`
  update portal_window set count = greatest(0, count - 1) where bucket = $1 and owner = $2`

// no limit counts for longer than a day
const sweep = sql('portal_window_sweep')`delete from portal_window where started < now() - interval '2 days'`

/** The interface document fixes the text for upload addresses, which a script reads. The others name limit and wait. */
function tooMany(name: CountedLimit, times: number, left: number): string {
  if (name === 'uploadUrl') return 'Too many requests'
  const { subject, limit, per } = limits[name]
  const again = left > 90 ? `${Math.ceil(left / 60)} minutes` : left === 1 ? 'a second' : `${left} seconds`
  const most = `at most ${limit * times} per ${per}${times > 1 ? ' from your network' : ''}`
  return `Too many requests. ${subject}: ${most}. Try again in ${again}.`
}

/** Counts the portal's requests in the database: exact over all cores, kept over restarts. */
export function portalLimitStore({ run, essential }: Pick<Database, 'run' | 'essential'>) {
  const runOf = (name: CountedLimit): Run => (/^(sign-in|token)/.test(name) ? essential : run)

  /** Counts one request; `left`: seconds until the window ends. @param times factor of the limit */
  async function count(
    name: CountedLimit,
    owner: string,
    on: Run,
    times = 1,
  ): Promise<{ fits: boolean; left: number }> {
    const { limit, seconds } = limits[name]
    const [row] = await on<{ count: number; left: number }>(takeOne, [
      name,
      owner,
      seconds === 'utc-day' ? null : seconds,
    ])
    return { fits: row!.count <= limit * times, left: row!.left }
  }

  async function require(name: CountedLimit, owner: string, on = runOf(name), times = 1): Promise<void> {
    const { fits, left } = await count(name, owner, on, times)
    if (!fits) throw new Refusal('rate-limited', ours(tooMany(name, times, left)), { rule: `limits#${name}` })
  }

  const back = async (name: CountedLimit, owner: string): Promise<void> =>
    void (await runOf(name)(giveBack, [name, owner]))

  return {
    /** Counts one request; false when the window is used up. In a transaction a rollback takes the count back. */
    take: async (name: CountedLimit, owner: string, on = run): Promise<boolean> => (await count(name, owner, on)).fits,
    /** @throws Refusal 'rate-limited' with the limit's name as its rule */
    require: (name: CountedLimit, owner: string, on?: Run): Promise<void> => require(name, owner, on),
    /** The same for a sender: by its address, and by the network around it. @param of what it is counted for besides */
    async requireFrom(name: CountedLimit, ip: string, of = ''): Promise<void> {
      const [sender, crowd] = [`${of}${senderOf(ip)}`, `${of}${crowdOf(ip)}`]
      await require(name, sender)
      if (crowd !== sender) await require(name, crowd, undefined, wideNetworkFactor)
    },
    /** Takes one count back, because the request did not fail, or failed for a reason of ours. */
    giveBack: back,
    async giveBackFrom(name: CountedLimit, ip: string): Promise<void> {
      for (const owner of new Set([senderOf(ip), crowdOf(ip)])) await back(name, owner)
    },
    /** Takes all counts back. */
    forget: async (name: CountedLimit, owner: string): Promise<void> =>
      void (await runOf(name)(forgetOne, [name, owner])),
    /** Requests counted since 00:00 UTC. */
    today: async (name: CountedLimit, owner: string): Promise<number> =>
      (await run<{ count: number }>(countToday, [name, owner]))[0]?.count ?? 0,
    /** Forgets windows that are over. */
    sweep: () => done(essential(sweep, [])),
  }
}
