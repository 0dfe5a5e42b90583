import type { Mail } from '../../../gen/lrs/v1/notices_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { done, first, scalar, sql, type Database } from '../../process/database/database.ts'
import { leases, type Leased } from '../../records/store/leases.ts'
import type { NoticeText } from './notices.ts'

/** What a mail says. */
export interface MailContent extends NoticeText {
  /** UUID of the weekly mail that a link in it ends. */
  readonly ends?: string
}

/** A mail that this core sends. */
export interface LeasedMail extends Leased {
  /** UUID. */
  readonly mailId: string
  readonly recipient: string
  readonly content: MailContent
  /** Of the account; empty: it has chosen none, or there is no account. */
  readonly language: string
  /** UUID of the link that it has; null: none. */
  readonly link: string | null
  /** Seconds since it was written. */
  readonly age: number
}

/** A mail as admins see it. */
export interface ListedMail extends Omit<Fields<Mail>, 'state'> {
  readonly state: 'waiting' | 'sent' | 'given-up'
}

const state = `case when m.due is not null then 'waiting' when m.sent is not null then 'sent' else 'given-up' end`
const add = sql('mail_add')`insert into mail (account, recipient, kind, content, link) values ($1, $2, $3, $4, $5)`
const leased = leases('mail', { open: 'due is not null' })
const lease = sql('mail_lease')`${leased.take({ due: 't.due <= now()', order: 't.due' })}
    returning id::text, uuid as "mailId", recipient, content, link, attempts,
      coalesce((select a.language from account a where a.id = account), '') as language,
      extract(epoch from now() - created)::float8 as age`
const noteSent = sql('mail_sent')`
  update mail set leased = null, due = null, sent = now(), content = null, failure = '' where ${leased.isMine}`
const failed = sql('mail_failed')`
  update mail set leased = null, due = now() + make_interval(secs => $3), failure = $4 where ${leased.isMine}`
const putOff = sql('mail_put_off')`
  update mail set leased = null, due = now() + make_interval(secs => $3), attempts = attempts - 1
    where ${leased.isMine}`
const list = sql('mail_list')`select m.uuid as "mailId", m.recipient, m.kind, ${state} as state, m.attempts, m.failure,
      extract(epoch from m.created)::bigint::float8 as created,
      coalesce(extract(epoch from m.due)::bigint::float8, 0) as due
    from mail m where $1 = '' or ${state} = $1 order by m.id desc limit $2`
const retry = sql('mail_retry')`
  update mail set due = now() where sent is null and ($1::uuid[] is null or uuid = any ($1)) returning 1`
const waiting = sql('mail_waiting')`select count(*)::int as waiting from mail where due is not null`
const sweep = sql('mail_sweep')`delete from mail where id in (select id from mail
    where due is null and created < now() - make_interval(days => $1) order by id limit $2) returning 1`

/** The queue of mails. One core at a time sends a mail. */
export function mailStore({ run, essential }: Database) {
  return {
    /** @param to the account that has the address, if there is one */
    add: (
      to: { account?: number; recipient: string },
      kind: string,
      content: MailContent,
      link: string | null = null,
      on = run,
    ) => done(on(add, [to.account ?? null, to.recipient, kind, JSON.stringify(content), link])),
    /** Takes a mail that is due. */
    lease: (seconds: number) => first(essential<LeasedMail>(lease, [seconds])),
    ...leased.on(essential),
    sent: ({ id, attempts }: Leased) => done(essential(noteSent, [id, attempts])),
    /** @param again seconds until the next attempt; null: it is given up */
    failed: ({ id, attempts }: Leased, failure: string, again: number | null) =>
      done(essential(failed, [id, attempts, again, failure])),
    /** The attempt does not count. @param again seconds until the next one */
    putOff: ({ id, attempts }: Leased, again: number) => done(essential(putOff, [id, attempts, again])),
    /** Newest first. @param state empty: all */
    list: (state: string, limit: number) => run<ListedMail>(list, [state, limit]),
    /** Makes mails due now that were not sent; undefined: all of them. Returns how many. */
    retry: async (mailIds: readonly string[] | undefined): Promise<number> =>
      (await run(retry, [mailIds ?? null])).length,
    waiting: () => scalar<number>(run(waiting, [])),
    /** Deletes what was sent or given up so long ago; returns how many. */
    sweep: async (days: number, limit: number): Promise<number> => (await essential(sweep, [days, limit])).length,
  }
}
