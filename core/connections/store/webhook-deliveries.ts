import type { Delivery as Message } from '../../../gen/lrs/v1/webhooks_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { webhooks as limits } from '../../../shared/limits.ts'
import type { SentEvent } from '../../../shared/webhook-events.ts'
import type { KeptFilter } from '../../../shared/statement-filters.ts'
import { did, done, first, seconds, sql, type Database, type Run } from '../../process/database/database.ts'
import { inFairShares, leaseOwner as owner, leases, type Leased } from '../../records/store/leases.ts'

/** Something on its way to one webhook. Times are seconds since 1970; 0: not yet. */
export interface Delivery extends Omit<Fields<Message>, 'deliveryId' | 'type' | 'state'> {
  readonly id: number
  /** UUID. */
  readonly message: string
  readonly type: SentEvent
  /** What an event says; null: a batch of statements. */
  readonly data: Readonly<Record<string, unknown>> | null
  /** Milliseconds since 1970. */
  readonly happened: number
  /** Of a batch: microseconds, and the filter of its time. */
  readonly after: number | null
  readonly until: number | null
  readonly filter: KeptFilter | null
  readonly again: boolean
  readonly firstAttempt: number
  /** It answered from a network that the operator allows: only operators see the answer. */
  readonly internal: boolean
  readonly ended: number
  readonly delivered: boolean
}

/** A webhook that this core works on. */
export interface LeasedWebhook extends Leased {
  readonly id: number
  readonly webhookId: string
  readonly game: number
  readonly gameId: string
  readonly gameName: string
  /** 0: the game has none. */
  readonly studio: number
  readonly name: string
  readonly url: string
  readonly host: string
  readonly events: readonly string[]
  readonly filter: KeptFilter
  /** Sealed. */
  readonly secret: Buffer
  readonly oldSecret: Buffer | null
  readonly place: number
  readonly failures: number
  /** The studio, or the game if it has none: one of them never takes all slots. */
  readonly owner: string
}

export interface Batch {
  /** Microseconds: the place of the webhook, the end of the batch, the place after it. */
  readonly after: number
  readonly until: number
  readonly place: number
  readonly statements: number
  readonly filter: KeptFilter
}

/** How an attempt failed. `pause`: seconds until the next one; `hold`: nothing else is sent before either. */
export interface Failed {
  readonly status: number
  readonly problem: string
  readonly answer: string
  readonly internal: boolean
  readonly pause: number
  readonly hold: boolean
}

const view = `d.id::float8, d.message, coalesce(e.type, 'statements.stored') as type, e.data,
  floor(extract(epoch from coalesce(e.created, d.created)) * 1000)::float8 as happened,
  d.after::float8, d.until::float8, d.filter, d.statements, d.again, ${seconds('d.created')} as created, d.attempts,
  ${seconds('d.first_attempt')} as "firstAttempt", ${seconds('d.last_attempt')} as "lastAttempt",
  ${seconds('d.next_attempt')} as "nextAttempt", d.status, d.problem, d.answer, d.internal, ${seconds('d.ended')} as ended, d.delivered`
const from = 'webhook_delivery d left join webhook_event e on e.id = d.event'

const list = sql('delivery_list')`select ${view} from ${from} where d.webhook = $1 order by d.id desc limit $2`
const find = sql('delivery_find')`select ${view} from ${from} where d.webhook = $1 and d.message = $2`
const repeat = sql('delivery_repeat')`
  update webhook_delivery set ended = null, delivered = false, again = true, first_attempt = null,
      next_attempt = now(), problem = ''
    where webhook = $1 and message = $2 and ended is not null returning 1`
const hasten = sql('delivery_hasten')`
  with hook as (update webhook set next_attempt = now() where id = $1 and state = 'on' returning id)
    update webhook_delivery d set next_attempt = now() from hook
    where d.webhook = hook.id and d.message = $2 and d.ended is null returning 1`
// those that may have statements to tell: one batch at a time is under way
const following = sql('delivery_following')`select w.id, w.game, w.place::float8 from webhook w
    where w.state = 'on' and 'statements.stored' = any (w.events) and w.next_attempt <= now()
      and coalesce(w.leased, '-infinity') < now()
      and not exists (select from webhook_delivery d
        where d.webhook = w.id and d.event is null and d.ended is null and not d.again)`
const leased = leases('webhook', { open: `state = 'on'` })
const { isMine, isOpen } = leased
const hasWork = `t.state = 'on' and (t.id = any ($5::int[]) or exists (select from webhook_delivery d
  where d.webhook = t.id and d.ended is null and d.next_attempt <= now()))`
// those that wait longer come first the next time
const lease = sql('webhook_lease')`
  with taken as (${leased.take({ ...inFairShares(hasWork), also: ', next_attempt = now()' })} returning *)
    select w.id, w.uuid as "webhookId", w.game, g.uuid as "gameId", g.name as "gameName",
      coalesce(g.studio, 0) as studio, w.name, w.url, w.host, w.events, w.filter, w.secret,
      case when w.old_until > now() then w.old_secret end as "oldSecret",
      w.place::float8, w.failures, w.attempts, ${owner} as owner
    from taken w join game g on g.id = w.game`
// what a member has changed holds for the next delivery
const current = sql('delivery_current')`
  select url, events, filter, secret, case when old_until > now() then old_secret end as "oldSecret",
      place::float8, failures from webhook w where ${isOpen} and exists (
        select from game g left join studio s on s.id = g.studio
        where g.id = w.game and g.deleted is null and s.suspended is null)`
const putOff = sql('delivery_put_off')`
  update webhook set leased = null, next_attempt = now() + make_interval(secs => $3) where ${isMine}`
const next = sql('delivery_next')`select ${view} from ${from} join webhook w on w.id = d.webhook
    where d.webhook = $1 and w.attempts = $2 and w.state = 'on' and d.ended is null and d.next_attempt <= now()
    order by d.next_attempt, d.id limit 1`
const hasBatch = sql('delivery_has_batch')`
  select 1 from webhook_delivery where webhook = $1 and event is null and ended is null and not again`
// a filter that was changed meanwhile looks again
const move = sql('delivery_move')`
  update webhook set place = $4 where ${isOpen} and place = $3 and filter = $5::jsonb returning 1`
const addBatch = sql('delivery_add_batch')`
  insert into webhook_delivery (webhook, after, until, statements, filter) values ($1, $2, $3, $4, $5::jsonb)`
const trim = sql('delivery_trim')`delete from webhook_delivery where id = any (array(select id from webhook_delivery
    where webhook = $1 and ended is not null order by id desc offset $2 limit 100))`
const delivered = sql('delivery_delivered')`with mine as (
      update webhook set failures = 0, failing_since = null, problem = '', last_delivered = now()
      where ${isMine} returning id)
    update webhook_delivery d set ended = now(), delivered = true, attempts = attempts + 1, last_attempt = now(),
      first_attempt = coalesce(first_attempt, now()), status = $4, problem = '', answer = $5,
      internal = $6
    from mine where d.id = $3 and d.webhook = mine.id returning d.event`
const failed = sql('delivery_failed')`with mine as (
      update webhook set failures = failures + 1, failing_since = coalesce(failing_since, now()), problem = $5,
        next_attempt = case when $8 then now() + make_interval(secs => $7) else next_attempt end
      where ${isMine} returning id, failing_since)
    update webhook_delivery d set attempts = attempts + 1, last_attempt = now(),
      first_attempt = coalesce(first_attempt, now()), status = $4, problem = $5, answer = $6, internal = $10,
      next_attempt = now() + make_interval(secs => $7)
    from mine where d.id = $3 and d.webhook = mine.id
    returning first_attempt < now() - make_interval(days => $9) as "isOld",
      mine.failing_since < now() - make_interval(days => $9) as "isDead"`
const giveUp = sql('delivery_give_up')`
  update webhook_delivery set ended = now() where id = $1 and ended is null returning event`
const turnOff = sql('delivery_turn_off')`update webhook set state = 'off', problem = $3 where ${isOpen} returning 1`
// a learner who was erased is named only until everybody was told
export const forgetLearners = sql('delivery_forget_learners')`
  update webhook_event e set data = data - 'learner' where e.type = 'learner.erased' and e.data ? 'learner'
    and e.id = any ($1::bigint[])
    and not exists (select from webhook_delivery d where d.event = e.id and d.ended is null)`
const sweepDeliveries = sql('delivery_sweep')`
  delete from webhook_delivery where id = any (array(select id from webhook_delivery
    where created < now() - make_interval(days => $1)
      and not (event is null and ended is null) order by created limit $2)) returning 1`
const sweepEvents = sql('delivery_sweep_events')`
  delete from webhook_event where id = any (array(select id from webhook_event e
    where created < now() - make_interval(days => $1)
      or (created < now() - interval '8 days'
        and not exists (select from webhook_delivery d where d.event = e.id)) order by created limit $2)) returning 1`
const surplus = sql('delivery_surplus')`
  delete from webhook_delivery where id = any (array(select d.id from webhook w cross join lateral
    (select id from webhook_delivery where webhook = w.id and event is not null order by id desc offset $1) d limit $2))
    returning 1`

/** What webhooks are sent: one core at a time works on a webhook, as long as it shows that it lives. */
export function webhookDeliveryStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  return {
    /** Of one webhook, the newest first. */
    list: (webhook: number) => run<Delivery>(list, [webhook, limits.listed]),
    find: (webhook: number, message: string) => first(run<Delivery>(find, [webhook, message])),
    /** Sends one again that has ended; false: it is under way. */
    repeat: (webhook: number, message: string) => did(run(repeat, [webhook, message])),
    /** One that waits is due now; false: it has ended, or the webhook is not on. */
    hasten: (webhook: number, message: string) => did(run(hasten, [webhook, message])),

    /** Webhooks that wait for statements, with their place. */
    following: (): Promise<{ id: number; game: number; place: number }[]> => run(following, []),
    /** Takes one that has something to send. @param news ids of those that may have new statements */
    lease: (forSeconds: number, busy: readonly string[], used: ReadonlyMap<string, number>, news: readonly number[]) =>
      first(run<LeasedWebhook>(lease, [forSeconds, busy, [...used.keys()], [...used.values()], news])),
    ...leased.on(run),
    /** The webhook as it is now; undefined: another core has it, or it was paused or removed. */
    current: async (hook: LeasedWebhook): Promise<LeasedWebhook | undefined> => {
      const [row] = await run<Partial<LeasedWebhook>>(current, [hook.id, hook.attempts])
      return row && { ...hook, ...row }
    },
    /** Releases it; it is due after a pause. */
    putOff: ({ id, attempts }: Leased, forSeconds: number) => done(run(putOff, [id, attempts, forSeconds])),
    /** The next delivery that is due. */
    next: ({ id, attempts }: Leased) => first(run<Delivery>(next, [id, attempts])),
    /** Whether a batch is under way. */
    hasBatch: (webhook: number) => did(run(hasBatch, [webhook])),
    /** Writes a batch down before it is sent, or moves on over nothing; false: another core was faster. */
    reach: ({ id, attempts }: Leased, { after, until, place, statements, filter }: Batch): Promise<boolean> =>
      transaction(async (run) => {
        if ((await run(move, [id, attempts, after, place, JSON.stringify(filter)])).length === 0) return false
        if (statements > 0) {
          await run(addBatch, [id, after, until, statements, JSON.stringify(filter)])
          await run(trim, [id, limits.kept])
        }
        return true
      }),
    delivered: (
      { id, attempts }: Leased,
      delivery: number,
      { status, answer, internal }: Pick<Failed, 'status' | 'answer' | 'internal'>,
    ): Promise<boolean> =>
      transaction(async (run) => {
        const [row] = await run<{ event: string | null }>(delivered, [id, attempts, delivery, status, answer, internal])
        if (row && row.event !== null) await run(forgetLearners, [[row.event]])
        return row !== undefined
      }),
    /**
     * Notes that an attempt failed; undefined: another core has the webhook.
     * @returns `isOld`: it fails for days; `isDead`: and so does everything else
     */
    failed: async (
      { id, attempts }: Leased,
      delivery: number,
      { status, problem, answer, internal, pause, hold }: Failed,
    ): Promise<{ isOld: boolean; isDead: boolean } | undefined> => {
      const values = [id, attempts, delivery, status, problem, answer, pause, hold, limits.givenUpDays, internal]
      return (await run<{ isOld: boolean; isDead: boolean }>(failed, values))[0]
    },
    giveUp: (delivery: number): Promise<void> =>
      transaction(async (run) => {
        const [row] = await run<{ event: string | null }>(giveUp, [delivery])
        if (row && row.event !== null) await run(forgetLearners, [[row.event]])
      }),
    /** False: it is not on any more. @param inTransaction with the notice */
    turnOff: (inTransaction: Run, { id, attempts }: Leased, problem: string) =>
      did(inTransaction(turnOff, [id, attempts, problem])),
    /** Forgets what is older, and what one webhook has too many of. A batch that is not delivered stays. */
    sweep: async (days: number, limit: number): Promise<number> => {
      const gone = (await run(sweepDeliveries, [days, limit])).length
      const many = (await run(surplus, [limits.kept, limit])).length
      return Math.max(gone, many, (await run(sweepEvents, [days, limit])).length)
    },
  }
}
