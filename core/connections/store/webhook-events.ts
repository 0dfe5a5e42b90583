import type { SentEvent, WebhookEvent } from '../../../shared/webhook-events.ts'
import { done, scalar, sql, type Database, type Run } from '../../process/database/database.ts'
import { takenAway } from '../../records/store/leases.ts'

export type EventData = Readonly<Record<string, unknown>>

// one row and a delivery for each webhook that wants it, and nothing at all if none does
const tell = sql('webhook_tell')`with wanted as (
      select w.id, w.game from webhook w
      where w.game = any ($1::int[]) and $2 = any (w.events)
        and ($4 = '' or not exists (select from webhook_event e where e.game = w.game and e.type = $2
          and e.topic = $4 and e.created > now() - interval '7 days'))),
    told as (
      insert into webhook_event (game, type, data, topic)
      select g.id, $2, jsonb_build_object('gameId', g.uuid) || $3::jsonb, $4
      from game g where g.id in (select game from wanted) returning id, game)
    insert into webhook_delivery (webhook, event) select w.id, t.id from wanted w join told t on t.game = w.game`
const tellStudio = sql('webhook_tell_studio')`
  select array(select g.id from game g where g.studio = $1 and g.deleted is null and g.sandbox_of is null
    and exists (select from webhook w where w.game = g.id)) as games`
// it is sent at once, also if the webhook waits after a failure
const test = sql('webhook_test')`with due as (update webhook set next_attempt = now() where id = $1),
    told as (
      insert into webhook_event (game, type, data)
      select w.game, $2, jsonb_build_object('gameId', g.uuid, 'webhookId', w.uuid, 'name', w.name)
      from webhook w join game g on g.id = w.game where w.id = $1 returning id)
    insert into webhook_delivery (webhook, event) select $1, id from told returning message`
// what a receiver has answered may hold what was sent to it
// what is under way may bring such an answer: it is not written down, and sent again without the learner
const forgetAnswers = sql('webhook_forget_answers')`with taken as (
      update webhook set ${takenAway} where game = any ($1::int[]) and leased is not null)
    update webhook_delivery d set answer = '' from webhook w
    where w.id = d.webhook and w.game = any ($1::int[]) and d.event is null and d.answer <> ''`

/** What webhooks are told: written down in the transaction in which it happens. */
export function webhookEventStore({ run }: Pick<Database, 'run'>) {
  const tellGames = async (
    games: readonly number[],
    type: WebhookEvent,
    data: EventData,
    inTransaction: Run = run,
    topic = '',
  ): Promise<void> => {
    if (games.length > 0) await inTransaction(tell, [games, type, JSON.stringify(data), topic])
  }
  return {
    /** Tells the webhooks of games, each of its own game. @param topic names what is told at most once a week */
    tell: tellGames,
    /** Tells the webhooks of all games of a studio. */
    async tellStudio(
      studio: number,
      type: WebhookEvent,
      data: EventData,
      inTransaction: Run = run,
      topic = '',
    ): Promise<void> {
      const [found] = await inTransaction<{ games: number[] }>(tellStudio, [studio])
      await tellGames(found!.games, type, data, inTransaction, topic)
    },
    /** Tells one webhook of nothing but itself; returns the UUID of the delivery. */
    test: (webhook: number) => scalar<string | undefined>(run(test, [webhook, 'webhook.test' satisfies SentEvent])),
    /** After an erasure nothing of the learner stays in what receivers of statements have answered. */
    forgetAnswers: (inTransaction: Run, games: readonly number[]) => done(inTransaction(forgetAnswers, [games])),
  }
}
