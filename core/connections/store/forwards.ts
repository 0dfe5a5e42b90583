import type { Forward as ForwardMessage } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { ForwardSettings } from '../rules/forward.ts'
import { done, first, only, seconds, sql, type Database, type Run } from '../../process/database/database.ts'
import { inFairShares, leaseOwner as owner, leases, takenAway, type Leased } from '../../records/store/leases.ts'
import { patternOf } from '../../process/database/pattern.ts'

/** A forward as its studio sees it. Times are seconds since 1970; 0: never. */
export interface Forward extends Omit<Fields<ForwardMessage>, 'settings' | 'state' | 'behindSeconds'> {
  readonly settings: ForwardSettings
  readonly paused: boolean
  /** There was nothing more at the last look. */
  readonly idle: boolean
}

/** A forward that this core works on. */
export interface LeasedForward extends Forward, Leased {
  readonly host: string
  /** The studio, or the game if it has none: one of them never takes all slots. */
  readonly owner: string
  /** Sealed; null: none. */
  readonly credential: Buffer | null
  readonly batch: number
  /** How often in a row the target has answered the same statements with 500. */
  readonly serverErrors: number
  /** Some of what is set aside is to be sent once more. */
  readonly retries: boolean
}

export interface SetAsideStatement {
  /** Microseconds. */
  readonly stored: number
  /** UUID. */
  readonly statement: string
  readonly reason: string
}

/** An erasure of a learner, or a deletion of statements. */
export interface ErasedHere {
  readonly at: number
  /** Null: an erasure. */
  readonly deletionId: string | null
  readonly statements: number | null
}

/** How far a core has come with one. */
export interface Reached {
  readonly through: number
  /** Statements that the target has taken. */
  readonly sent: number
  readonly setAside: readonly SetAsideStatement[]
  readonly batch: number
  readonly tenant: number
}

/** How a look ended. `pause`: seconds until the next one. */
export interface Settled {
  readonly idle: boolean
  readonly failures: number
  readonly problem: string
  readonly pause: number
  readonly serverErrors: number
}

export interface NewForward {
  readonly forwardId: string
  readonly gameId: string
  readonly tenant: number | null
  readonly settings: ForwardSettings
  readonly host: string
  readonly user: string
  readonly credential: Buffer | null
  readonly through: number
  readonly batch: number
}

/** The column of each. */
const columns = {
  name: 'name',
  endpoint: 'endpoint',
  version: 'version',
  sandbox: 'sandbox',
  verb: 'verb',
  activity: 'activity',
  relatedActivities: 'related_activities',
  pseudonyms: 'pseudonyms',
  bare: 'bare',
  attachments: 'attachments',
} as const satisfies Record<keyof ForwardSettings, string>
const settingsNames = Object.keys(columns) as (keyof ForwardSettings)[]
const valuesOf = (settings: ForwardSettings): unknown[] => settingsNames.map((name) => settings[name])
const settingsOf = `jsonb_build_object(${settingsNames.map((name) => `'${name}', f.${columns[name]}`).join(', ')})`
export const forwardColumns = `f.uuid as "forwardId", g.uuid as "gameId", ${settingsOf} as settings,
  f.credential_user as "user", f.paused,
  f.through::float8, f.idle, f.sent::float8, f.failures, f.problem, ${seconds('f.last_sent')} as "lastSent",
  ${seconds('f.next_attempt')} as "nextAttempt", ${seconds('f.created')} as created,
  (select count(*)::int from forward_set_aside a where a.forward = f.id) as "setAside"`
const from = 'forward f join game g on g.id = f.game'
const owned = 'g.deleted is null and ($2::int is null or g.studio = $2)'

// the lock: two that are added at once are counted one after the other
const lock = sql('forward_lock')`select 1 from game where uuid = $1 for update`
const count = sql('forward_count')`select count(*)::int as count from ${from} where g.uuid = $1`
const add = sql('forward_add')`
  insert into forward (uuid, game, tenant, host, credential_user, credential, through, batch, began,
      ${Object.values(columns).join(', ')})
    select $1, g.id, $3, $4, $5, $6, $7, $8, $7, ${settingsNames.map((_, at) => `$${at + 9}`).join(', ')} from game g where g.uuid = $2`
const list = sql('forward_list')`select ${forwardColumns} from ${from}
    where ($1::uuid is null or g.uuid = $1) and ${owned} order by f.id limit $3`
const find = sql('forward_find')`select ${forwardColumns}, f.credential from ${from} where f.uuid = $1 and ${owned}`
const mine = `f.uuid = $1 and exists (select from game g where g.id = f.game and ${owned})`
const afresh = `${takenAway}, failures = 0, server_errors = 0, problem = '',
  next_attempt = now(), idle = false`
// a credential that another member has set meanwhile stays with its endpoint
const change = sql('forward_change')`
  update forward f set ${afresh}, host = $3, credential_user = case when $4 then $5 else credential_user end,
      credential = case when $4 then $6 else credential end, batch = $7,
      ${settingsNames.map((name, at) => `${columns[name]} = $${at + 8}`).join(', ')}
    where ${mine} and ($4 or f.credential is null or f.endpoint = $9) returning 1`
const pause = sql('forward_pause')`update forward f set ${afresh}, paused = $3 where ${mine} returning 1`
const sendAgain = sql('forward_send_again')`with moved as (update forward f set ${afresh}, through = $3,
        began = least(began, $3) where ${mine} returning f.id),
      forgotten as (delete from forward_set_aside a using moved m where a.forward = m.id and a.stored > $3)
    select 1 from moved`
const retry = sql('forward_retry')`with woken as (update forward f set ${afresh} where ${mine} returning f.id),
      marked as (update forward_set_aside a set retry = true from woken w where a.forward = w.id)
    select 1 from woken`
const remove = sql('forward_remove')`delete from forward f where ${mine} returning 1`
const setAsideOf = sql('forward_set_aside_of')`
  select a.statement, a.stored::float8, a.reason, ${seconds('a.at')} as at from forward_set_aside a
    where a.forward = (select id from forward where uuid = $1) order by a.at desc, a.stored desc limit $2`
const erasuresOf = sql('forward_erasures_of')`select ${seconds('e.at')} as at, e.statements, d.uuid as "deletionId"
    from forward_erasure e left join deletion d on d.id = e.deletion
    where e.forward = (select id from forward where uuid = $1) order by e.at desc limit $2`
const leased = leases('forward', {
  open: `exists (select from game g left join studio s on s.id = g.studio
    where g.id = forward.game and g.deleted is null and s.suspended is null)`,
})
const lease = sql('forward_lease')`
  with taken as (${leased.take({ ...inFairShares('not t.paused'), also: ', news = false' })} returning *)
    select ${forwardColumns}, f.id, f.attempts, f.host, ${owner} as owner, f.credential, f.batch,
      f.server_errors as "serverErrors",
      exists (select from forward_set_aside a where a.forward = f.id and a.retry) as retries
    from taken f join game g on g.id = f.game`
const { isMine } = leased
const reach = sql('forward_reach')`with mine as (
      update forward set through = greatest(through, $3), sent = sent + $4, batch = $5, tenant = $6,
        last_sent = case when $4 > 0 then now() else last_sent end where ${isMine} returning id),
    put as (
      insert into forward_set_aside (forward, stored, statement, reason)
      select m.id, a.* from mine m cross join unnest($7::bigint[], $8::uuid[], $9::text[]) a
      on conflict (forward, stored) do update set reason = excluded.reason, at = now(), retry = false)
    select 1 from mine`
const retries = sql('forward_retries')`
  select statement, stored::float8 from forward_set_aside where forward = $1 and retry order by stored limit $2`
const retried = sql('forward_retried')`delete from forward_set_aside a using forward f
    where f.id = $1 and f.attempts = $2 and a.forward = f.id and a.stored = any ($3::bigint[])`
// what was stored while it was worked on may not have been seen
const settle = sql('forward_settle')`
  update forward set leased = null, idle = $3 and not news, failures = $4, problem = $5, server_errors = $7,
      next_attempt = case when $3 and news then now() else now() + make_interval(secs => $6) end
    where ${isMine} returning 1`
const wake = sql('forward_wake')`
  update forward set idle = false, news = true, next_attempt = case when idle then now() else next_attempt end
    where tenant = any ($1::int[]) and not paused and not news and (idle or leased is not null) returning 1`
const expire = sql('forward_expire')`
  update forward_set_aside a set reason = 'The target did not take it. What it answered was kept long enough.'
    from forward f where f.id = a.forward and f.tenant = $1 and a.stored < $2`
// a core that works on one may have read the learner's statements: it sends and writes down nothing more
const erased = sql('forward_erased')`with concerned as (
      update forward set problem = '', attempts = attempts + (leased is not null)::int, leased = null,
        idle = idle and leased is null, next_attempt = case when leased is null then next_attempt else now() end
      where tenant = any ($1::int[]) and (sent > 0 or leased is not null or exists (
        select from forward_set_aside a where a.forward = forward.id)) returning id),
    cleared as (update forward_set_aside a set reason = $2 from concerned c where a.forward = c.id),
    noted as (insert into forward_erasure (forward) select id from concerned)
    delete from forward_erasure e using concerned c
    where e.forward = c.id and e.at < now() - make_interval(days => $3)`
// the target may have what was stored after `began`: it may have taken a batch without an answer
const deleted = sql('forward_deleted')`with concerned as (
      select id, (select count(*) from unnest($3::bigint[]) p where p > began) as statements
      from forward where tenant = $1 and (sent > 0 or leased is not null or failures > 0)),
    forgotten as (
      delete from forward_set_aside a using forward f where f.tenant = $1 and a.forward = f.id
        and a.stored = any ($3::bigint[]))
    insert into forward_erasure (forward, deletion, statements)
    select id, $2, statements from concerned where statements > 0`
const states = sql('forward_states')`select (count(*) filter (where paused))::int as paused,
      (count(*) filter (where not paused and failures > 0))::int as failing,
      (count(*) filter (where not paused and failures = 0))::int as running,
      (select count(*)::int from forward_set_aside) as "setAside",
      coalesce(max(extract(epoch from now() - case when through = 0 then created else to_timestamp(through / 1e6) end))
        filter (where not paused and not idle), 0)::float8 as lag
    from forward`

/** Forwards of games. One core at a time works on one, as long as it shows that it lives. */
export function forwardStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  const isDone = async (asked: Promise<unknown[]>): Promise<boolean> => (await asked).length === 1
  return {
    /** Adds one; false: the game has `most` already. */
    add: (one: NewForward, most: number): Promise<boolean> =>
      transaction(async (run) => {
        await run(lock, [one.gameId])
        if ((await run<{ count: number }>(count, [one.gameId]))[0]!.count >= most) return false
        const { forwardId, gameId, tenant, host, user, credential, through, batch } = one
        const values = [forwardId, gameId, tenant, host, user, credential, through, batch, ...valuesOf(one.settings)]
        await run(add, values)
        return true
      }),
    /** The oldest first. @param gameId undefined: of all games. @param studio undefined: of any */
    list: (gameId: string | undefined, studio: number | undefined, most: number) =>
      run<Forward>(list, [gameId ?? null, studio ?? null, most]),
    find: (forwardId: string, studio: number | undefined) =>
      first(run<Forward & { readonly credential: Buffer | null }>(find, [forwardId, studio ?? null])),
    /** @param credential undefined: it stays */
    change: (
      forwardId: string,
      studio: number | undefined,
      { settings, host, batch }: Pick<NewForward, 'settings' | 'host' | 'batch'>,
      credential: { readonly user: string; readonly sealed: Buffer | null } | undefined,
    ): Promise<boolean> => {
      const sealed = [credential !== undefined, credential?.user ?? '', credential?.sealed ?? null]
      return isDone(run(change, [forwardId, studio ?? null, host, ...sealed, batch, ...valuesOf(settings)]))
    },
    pause: (forwardId: string, studio: number | undefined, paused: boolean): Promise<boolean> =>
      isDone(run(pause, [forwardId, studio ?? null, paused])),
    sendAgain: (forwardId: string, studio: number | undefined, since: number): Promise<boolean> =>
      isDone(run(sendAgain, [forwardId, studio ?? null, since])),
    retry: (forwardId: string, studio: number | undefined): Promise<boolean> =>
      isDone(run(retry, [forwardId, studio ?? null])),
    remove: (forwardId: string, studio: number | undefined): Promise<boolean> =>
      isDone(run(remove, [forwardId, studio ?? null])),
    /** The newest first. */
    setAside: (forwardId: string, most: number): Promise<(SetAsideStatement & { at: number })[]> =>
      run(setAsideOf, [forwardId, most]),
    /** Erasures of learners and deletions of statements that the target may have; the newest first. */
    erasures: (forwardId: string, most: number) => run<ErasedHere>(erasuresOf, [forwardId, most]),

    /** Takes one that is due. */
    lease: (seconds: number, busy: readonly string[], used: ReadonlyMap<string, number>) =>
      first(run<LeasedForward>(lease, [seconds, busy, [...used.keys()], [...used.values()]])),
    ...leased.on(run),
    /** Notes how far it is; false: as above. */
    reach: ({ id, attempts }: Leased, { through, sent, setAside, batch, tenant }: Reached): Promise<boolean> =>
      isDone(
        run(reach, [
          id,
          attempts,
          through,
          sent,
          batch,
          tenant,
          setAside.map(({ stored }) => stored),
          setAside.map(({ statement }) => statement),
          setAside.map(({ reason }) => reason),
        ]),
      ),
    /** What is to be sent once more, the oldest first. */
    retries: ({ id }: Leased, most: number): Promise<Pick<SetAsideStatement, 'stored' | 'statement'>[]> =>
      run(retries, [id, most]),
    /** These are set aside no longer. */
    retried: ({ id, attempts }: Leased, stored: readonly number[]) => done(run(retried, [id, attempts, stored])),
    settle: ({ id, attempts }: Leased, { idle, failures, problem, pause, serverErrors }: Settled): Promise<boolean> =>
      isDone(run(settle, [id, attempts, idle, failures, problem, pause, serverErrors])),
    /** There are new statements of these tenants. Returns how many forwards are due now. */
    wake: async (tenants: readonly number[]): Promise<number> => (await run(wake, [tenants])).length,
    /** Forgets what targets answered to statements that were stored before: microseconds. */
    expire: (tenant: number, before: number) => done(run(expire, [tenant, before])),

    /** Notes that a learner of these tenants was erased, and forgets their answers, in its transaction. */
    erased: (on: Run, tenants: readonly number[], reason: string, days: number) =>
      done(on(erased, [tenants, reason, days])),
    /** Notes which forwards may have sent statements that a deletion has removed, in its transaction. */
    deleted: (on: Run, tenant: number, deletion: number | string, stored: readonly number[]) =>
      done(on(deleted, [tenant, deletion, stored])),
    /** How many there are by state; `lag`: seconds by which the last of them is behind. */
    states: () => only(run<Record<'paused' | 'failing' | 'running' | 'setAside' | 'lag', number>>(states, [])),
  }
}

/** A forward with its game, as operators see it. */
interface OperatedForward extends Forward {
  readonly gameName: string
  /** Null: the game has no studio. */
  readonly studioId: string | null
  readonly studioName: string | null
  /** How many there are, and how many of these are failing. */
  readonly total: number
  readonly failing: number
}

/** Forwards in one list. */
const most = 100
const isFailing = 'not f.paused and f.failures > 0'
const operated = sql('operator_forwards')`
  select ${forwardColumns}, g.name as "gameName", s.uuid as "studioId", s.name as "studioName",
      (count(*) over ())::int as total, (count(*) filter (where ${isFailing}) over ())::int as failing
    from forward f join game g on g.id = f.game left join studio s on s.id = g.studio
    where g.deleted is null and ($1 = '%' or g.name ilike $1 or s.name ilike $1 or f.host ilike $1)
    order by (${isFailing}) desc, f.paused, f.idle, f.through, f.id limit $2`

/** Forwards as operators look at them. */
export const operatedForwardStore = ({ run }: Pick<Database, 'run'>) => ({
  /** Of all games whose name, studio or host has the text: those that fail first. @param text empty: all */
  find: (text: string) => run<OperatedForward>(operated, [patternOf(text), most]),
})
