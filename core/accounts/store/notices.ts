import type { Notification as NotificationMessage } from '../../../gen/lrs/v1/notices_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { MemberRole } from '../rules/roles.ts'
import { column, done, scalar, sql, type Database } from '../../process/database/database.ts'

/** A notice: the header and the mail show the same. */
export interface NoticeText {
  readonly title: string
  /** Paragraphs. */
  readonly lines: readonly string[]
  /** Where it leads in the portal, with the words of the link. */
  readonly path: string
  readonly action: string
  /** Which text of the catalogue it is; undefined: it is in English only. */
  readonly says?: Said
  /** The language of its mail, if the account has none, or there is no account. */
  readonly language?: string
}

/** A text of the catalogue with its values. */
export interface Said {
  readonly name: string
  readonly values: Readonly<Record<string, string | number>>
}

/** Recipients: accounts, and members of a studio with certain roles. */
export interface Told {
  readonly accounts?: readonly number[]
  readonly studio?: number
  readonly roles?: readonly MemberRole[]
}

export type Notification = Fields<NotificationMessage>

const tell = sql('notice_tell')`with told as (
      select a.id, a.email, a.email_verified from account a
      where a.id = any (select unnest($1::int[])
          union select account from member where studio = $2::int and role = any ($3::text[]))
        and a.suspended is null
        and ($7 = '' or not exists (select from notification n
          where n.account = a.id and n.topic = $7 and n.created > now() - interval '7 days'))),
    mails as (
      insert into mail (account, recipient, kind, content)
      select id, email, $4, $8::jsonb from told
      where $9 and email_verified is not null
        and ($10 or not exists (select from muted_notice m where m.account = told.id and m.kind = $4))),
    surplus as (
      delete from notification where id in (
        select n.id from told cross join lateral
          (select id from notification where account = told.id order by id desc offset $11) n))
    insert into notification (account, kind, title, body, path, topic)
    select id, $4, $5, $6, $12, $7 from told`
const list = sql('notification_list')`select uuid as "notificationId", kind, title, body, path,
      extract(epoch from created)::bigint::float8 as created, read is not null as read
    from notification where account = $1 order by id desc limit $2`
const unread = sql('notification_unread')`select count(*)::int as unread
    from (select from notification where account = $1 and read is null limit 100) n`
const mark = sql('notification_mark')`update notification set read = case when $3 then coalesce(read, now()) end
    where account = $1 and uuid = any ($2)`
const markAll = sql('notification_mark_all')`
  update notification set read = now() where account = $1 and read is null and id <= $2`
const newest = sql('notification_newest')`select max(id)::text as id from notification where account = $1`
const muted = sql('muted_notice_list')`select kind from muted_notice where account = $1`
const mute = sql('muted_notice_set')`
  with off as (insert into muted_notice (account, kind) select $1, unnest($2::text[]) on conflict do nothing)
    delete from muted_notice where account = $1 and kind <> all ($2)`
const sweep = sql('notification_sweep')`delete from notification where id in (
    select id from notification where created < now() - make_interval(days => $1) limit $2) returning 1`

/** Notices to accounts: in the header of the portal, and as mails to verified addresses. */
export function noticeStore({ run, essential }: Database) {
  return {
    /**
     * Writes a notice for each recipient, and its mail. @param topic sent at most once a week; empty: always
     * @param mail whether mails are sent at all @param always also to those who turned this kind off
     */
    async tell(
      { accounts = [], studio, roles = [] }: Told,
      kind: string,
      text: NoticeText,
      { topic, mail, always, kept }: { topic: string; mail: boolean; always: boolean; kept: number },
      on = essential,
    ): Promise<void> {
      const { title, lines, path } = text
      const content = JSON.stringify(text)
      const body = lines.join('\n\n')
      const to = [accounts, studio ?? null, roles]
      await on(tell, [...to, kind, title, body, topic, content, mail, always, kept - 1, path])
    },
    /** Newest first. */
    of: (account: number, limit: number) => run<Notification>(list, [account, limit]),
    /** How many are unread, 100 at most. */
    unread: (account: number) => scalar<number>(run(unread, [account])),
    mark: (account: number, notificationIds: readonly string[], read: boolean) =>
      done(run(mark, [account, notificationIds, read])),
    /** Marks all that there are now as read. */
    async markAll(account: number): Promise<void> {
      const [last] = await run<{ id: string | null }>(newest, [account])
      await run(markAll, [account, last!.id])
    },
    /** Kinds of which the account gets no mails. */
    muted: (account: number) => column<string>(run(muted, [account])),
    mute: (account: number, kinds: readonly string[]) => done(run(mute, [account, kinds])),
    /** Deletes old ones; returns how many. */
    sweep: async (days: number, limit: number): Promise<number> => (await essential(sweep, [days, limit])).length,
  }
}
