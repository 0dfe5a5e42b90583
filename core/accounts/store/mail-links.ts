import { done, first, sql, type Database, type Run } from '../../process/database/database.ts'
import type { NoticeText } from './notices.ts'

/** What a link does: make an account, verify an address, set a new password, change the address. */
export type LinkPurpose = 'sign-up' | 'verify' | 'reset' | 'address'

export interface MailLink {
  readonly purpose: LinkPurpose
  /** Null: there is no account yet. */
  readonly account: number | null
  readonly email: string
  readonly data: unknown
}

/** Seconds for which a link works. */
const seconds: Record<LinkPurpose, number> = {
  'sign-up': 24 * 60 * 60,
  verify: 24 * 60 * 60,
  reset: 30 * 60,
  address: 24 * 60 * 60,
}

const link = (from: string) => `insert into mail_link (purpose, account, email, data, expires)
  select $2, ${from}, $1, $3::jsonb, now() + make_interval(secs => $4) returning uuid, email`
const mailTo = (account: string) =>
  `insert into mail (account, recipient, kind, content, link) select ${account}, l.email, 'link'`

// the same work for an address that has an account: its mail says so, and has no link of the sign-up
const signUp = sql('mail_link_sign_up')`with a as (select id from account where email = $1), l as (${link('null')})
    ${mailTo('a.id')}, case when a.id is null then $5::jsonb else $6::jsonb end,
      case when a.id is null then l.uuid end
    from l left join a on true`
// a link without an account is no link: it takes the time that one takes
const reset = sql('mail_link_reset')`with a as (select id from account where email = $1 and suspended is null),
      l as (${link('(select id from a)')})
    ${mailTo('a.id')}, $5::jsonb, l.uuid from l join a on true`
// one address is pending: its link ends when another one is asked for, and its mail if it is not sent yet
const replaced = `old as (delete from mail_link where account = $6 and purpose = 'address' and $2 = 'address' returning uuid),
    unsent as (delete from mail m using old where m.link = old.uuid and m.sent is null)`
const toAccount = sql('mail_link_to_account')`
  with ${replaced}, l as (${link('$6::int')}) ${mailTo('$6')}, $5::jsonb, l.uuid from l`
const addressTaken = sql('mail_link_address_taken')`
  with ${replaced.replaceAll('$6', '$1')} insert into mail (account, recipient, kind, content)
    select a.id, $3, 'link', $4::jsonb from (values (1)) one left join account a on a.email = $3`
const look = sql('mail_link_look')`
  select purpose, account, email, data from mail_link where uuid = $1 and expires > now()`
const use = sql('mail_link_use')`delete from mail_link where uuid = $1 and purpose = $2 and expires > now()
    returning purpose, account, email, data`
/** Ends the links to another password or address of an account. */
export const dropLinks = sql('mail_link_drop')`
  delete from mail_link where account = $1 and purpose in ('reset', 'address')`
const sweep = sql('mail_link_sweep')`delete from mail_link where expires < now()`

/** Links in mails, each written together with its mail. */
export function mailLinkStore({ run, essential }: Database) {
  const json = (value: unknown): string => JSON.stringify(value)
  return {
    /** A link that makes an account; for an address that has one, a mail that says so. */
    signUp: (email: string, data: unknown, content: NoticeText, known: NoticeText) =>
      done(run(signUp, [email, 'sign-up', json(data), seconds['sign-up'], json(content), json(known)])),
    /** A link to a new password, if the address has an account. */
    reset: (email: string, content: NoticeText) =>
      done(run(reset, [email, 'reset', null, seconds.reset, json(content)])),
    toAccount: (purpose: 'verify' | 'address', account: number, email: string, content: NoticeText) =>
      done(run(toAccount, [email, purpose, null, seconds[purpose], json(content), account])),
    /** Word to an address that has an account, when another account wants it; the rest is as with a link. */
    addressTaken: (account: number, email: string, content: NoticeText) =>
      done(run(addressTaken, [account, 'address', email, json(content)])),
    /** Undefined: it was used, or has expired. */
    look: (link: string) => first(run<MailLink>(look, [link])),
    /** The same, and from then on it works no more. */
    use: (on: Run, link: string, purpose: LinkPurpose) => first(on<MailLink>(use, [link, purpose])),
    /** Ends the links to another password or address of an account. */
    drop: (on: Run, account: number) => done(on(dropLinks, [account])),
    sweep: () => done(essential(sweep, [])),
  }
}
