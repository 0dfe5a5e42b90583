import type { Webhook as Message } from '../../../gen/lrs/v1/webhooks_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { webhooks as limits } from '../../../shared/limits.ts'
import type { KeptFilter } from '../../../shared/statement-filters.ts'
import type { WebhookSettings } from '../rules/webhook.ts'
import { done, first, only, seconds, sql, type Database } from '../../process/database/database.ts'
import { forgetLearners } from './webhook-deliveries.ts'

/** A webhook as its studio sees it. Times are seconds since 1970; 0: not yet. */
export interface Webhook extends Omit<Fields<Message>, 'settings' | 'state'> {
  readonly id: number
  readonly game: number
  readonly name: string
  readonly url: string
  readonly events: readonly string[]
  readonly filter: KeptFilter
  readonly state: 'on' | 'paused' | 'off'
}

export interface NewWebhook {
  readonly webhookId: string
  readonly game: number
  readonly settings: WebhookSettings
  /** Sealed. */
  readonly secret: Buffer
  readonly place: number
}

const view = `w.id, w.uuid as "webhookId", g.uuid as "gameId", w.game, w.name, w.url, w.events, w.filter, w.state,
  (select count(*)::int from webhook_delivery d where d.webhook = w.id and d.ended is null) as pending,
  w.failures, w.problem, w.place::float8 as through, ${seconds('w.last_delivered')} as "lastDelivered",
  case when w.old_until > now() then ${seconds('w.old_until')} else 0 end as "oldSecretUntil",
  ${seconds('w.created')} as created`
const from = 'webhook w join game g on g.id = w.game and g.deleted is null'
const ofStudio = '($2::int is null or g.studio = $2)'

// the lock: two that are added at once are counted one after the other
const lock = sql('webhook_lock')`select 1 from game where id = $1 for update`
const count = sql('webhook_count')`select count(*)::int as there from webhook where game = $1`
const add = sql('webhook_add')`insert into webhook (uuid, game, name, url, host, events, filter, secret, place)
    values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9)`
const list = sql('webhook_list')`
  select ${view} from ${from} where ($1::uuid is null or g.uuid = $1) and ${ofStudio} order by w.id limit 1000`
const find = sql('webhook_find')`select ${view} from ${from} where w.uuid = $1 and ${ofStudio}`
const change = sql('webhook_change')`update webhook set name = $2, url = $3, host = $4, events = $5, filter = $6::jsonb,
    place = coalesce($7, place), next_attempt = now() where id = $1`
const lockOne = sql('webhook_lock_one')`select secret from webhook where id = $1 for update`
const rotate = sql('webhook_rotate')`
  update webhook set secret = $2, old_secret = $3, old_until = now() + make_interval(hours => $4)
    where id = $1 returning ${seconds('old_until')} as until`
const pause = sql('webhook_pause')`update webhook set state = 'paused' where id = $1 and state = 'on'`
// what failed before has all its time again
const resume = sql('webhook_resume')`with again as (
      update webhook_delivery set first_attempt = null, next_attempt = now() where webhook = $1 and ended is null)
    update webhook set state = 'on', failures = 0, failing_since = null, problem = '', next_attempt = now()
    where id = $1`
const waitingEvents = sql('webhook_waiting_events')`
  select event from webhook_delivery where webhook = $1 and ended is null and event is not null`
const remove = sql('webhook_remove')`delete from webhook where id = $1 returning 1`
const forgetOld = sql('webhook_forget_old')`
  update webhook set old_secret = null, old_until = null where old_until < now()`
const states = sql('webhook_states')`select (select count(*)::int from webhook_delivery where ended is null) as pending,
      count(*) filter (where state = 'on' and failures > 0)::int as failing,
      count(*) filter (where state = 'off')::int as off from webhook`

/** Webhooks of games, as their studios see and change them. */
export function webhookStore({ run, transaction }: Pick<Database, 'run' | 'transaction'>) {
  const valuesOf = ({ name, url, events, filter }: WebhookSettings): unknown[] => [
    name,
    url,
    new URL(url).host,
    [...events],
    JSON.stringify(filter),
  ]
  return {
    /** False: the game has `limits.ofGame` already. */
    add: ({ webhookId, game, settings, secret, place }: NewWebhook): Promise<boolean> =>
      transaction(async (run) => {
        await run(lock, [game])
        const [counted] = await run<{ there: number }>(count, [game])
        if (counted!.there >= limits.ofGame) return false
        await run(add, [webhookId, game, ...valuesOf(settings), secret, place])
        return true
      }),
    /** @param gameId undefined: of all games @param studio undefined: of any */
    list: (gameId: string | undefined, studio: number | undefined) =>
      run<Webhook>(list, [gameId ?? null, studio ?? null]),
    find: (webhookId: string, studio: number | undefined) => first(run<Webhook>(find, [webhookId, studio ?? null])),
    /** @param place where statements begin; undefined: it stays */
    change: (id: number, settings: WebhookSettings, place: number | undefined) =>
      done(run(change, [id, ...valuesOf(settings), place ?? null])),
    /**
     * Sets another secret; the one before signs as well for some hours. Returns until when, in seconds since 1970.
     * @param secrets given the sealed secret, returns the new one and the old one, both sealed
     */
    rotate: (
      id: number,
      secrets: (before: Buffer) => { readonly secret: Buffer; readonly old: Buffer },
    ): Promise<number | undefined> =>
      transaction(async (run) => {
        const [row] = await run<{ secret: Buffer }>(lockOne, [id])
        if (!row) return undefined
        const { secret, old } = secrets(row.secret)
        const [set] = await run<{ until: number }>(rotate, [id, secret, old, limits.oldSecretHours])
        return set!.until
      }),
    pause: (id: number) => done(run(pause, [id])),
    resume: (id: number) => done(run(resume, [id])),
    /** False: there is no such one. */
    remove: (id: number): Promise<boolean> =>
      transaction(async (run) => {
        const waiting = await run<{ event: string }>(waitingEvents, [id])
        const removed = await run(remove, [id])
        await run(forgetLearners, [waiting.map(({ event }) => event)])
        return removed.length === 1
      }),
    /** Old secrets whose time is over. */
    forgetOld: () => done(run(forgetOld, [])),
    /** Of all webhooks, for the metrics. */
    states: () => only(run<{ pending: number; failing: number; off: number }>(states, [])),
  }
}
