import { did, done, first, scalar, seconds, sql, type Database, type Run } from '../../process/database/database.ts'
import { dropLinks } from './mail-links.ts'
import { endSessions } from './studio-sessions.ts'

/** A person who signs in. */
export interface Account {
  readonly account: number
  /** UUID. */
  readonly accountId: string
  readonly email: string
  /** Null: it signs in without a password. */
  readonly passwordHash: string | null
  readonly reviewer: boolean
  readonly admin: boolean
  /** Studios that it may own. */
  readonly mayOwn: number
  /** Seconds since 1970. */
  readonly created: number
  /** When it is deleted: seconds since 1970; 0: never. */
  readonly ends: number
}

const columns = `a.id as account, a.uuid as "accountId", a.email, a.reviewer, a.admin, a.may_own as "mayOwn",
  ${seconds('a.created')} as created, ${seconds('a.ends')} as ends`
const account = (name: string, where: string) => sql(`account_${name}`)`
  select ${columns}, a.password_hash as "passwordHash" from account a where ${where}`
const byEmail = account('by_email', 'a.email = $1')
const byId = account('by_id', 'a.id = $1')
const insert = sql('account_insert')`
  insert into account (email, password_hash, language) values ($1, $2, $3) on conflict (email) do nothing returning id`
const setReviewer = sql('account_set_reviewer')`
  update account set reviewer = $2, provided_roles = array_remove(provided_roles, 'reviewer') where email = $1
    returning id`
const allow = sql('account_allow')`
  update account set may_own = $2, provided_roles = array_remove(provided_roles, 'studio') where email = $1
    returning id`
const setPassword = sql('account_set_password')`
  update account set password_hash = $2 where id = $1 and password_hash is not distinct from $3 returning id`
const update = sql(
  'account_update',
)`update account set name = $2, zone = $3, language = coalesce(nullif($4, ''), language) where id = $1`
const dropTokens = sql('account_drop_tokens')`delete from personal_token where account = $1`
const replacePassword = sql('account_replace_password')`update account set password_hash = $2 where id = $1`
const verify = sql('account_verify')`update account set email_verified = coalesce(email_verified, now())
    where id = $1 and email = $2 and suspended is null returning id`
const setEmail = sql('account_set_email')`
  with b as (select id, email from account where id = $1 and suspended is null for update)
    update account a set email = $2, email_verified = now() from b
    where a.id = b.id and not exists (select from account where email = $2) returning b.email as before`

/** Accounts of people. */
export function accountStore({ run, transaction }: Database) {
  const one = (query: typeof byEmail, value: string | number) => first(run<Account>(query, [value]))
  return {
    byEmail: (email: string) => one(byEmail, email),
    byId: (account: number) => one(byId, account),

    /** Adds an account; undefined when the e-mail address has one. */
    add: (on: Run, email: string, passwordHash: string | null, language = '') =>
      scalar<number | undefined>(on(insert, [email, passwordHash, language])),

    /** @param language empty: as before */
    update: (account: number, name: string, zone: string, language: string) =>
      done(run(update, [account, name, zone, language])),

    /** False when there is no such account. */
    setReviewer: (email: string, reviewer: boolean) => did(run(setReviewer, [email, reviewer])),

    /** Sets how many studios it may own. False when there is no such account. */
    allow: (email: string, studios: number) => did(run(allow, [email, studios])),

    /** Marks its address as verified. False when it has another one, or is suspended. */
    verify: (on: Run, account: number, email: string) => did(on(verify, [account, email])),

    /** Gives it another address, verified; returns the old one. Undefined: the new one is taken. */
    setEmail: (on: Run, account: number, email: string) => scalar<string | undefined>(on(setEmail, [account, email])),

    /** Sets a password, without the old one, and ends every session, link and personal token. */
    async replacePassword(on: Run, account: number, passwordHash: string): Promise<void> {
      await on(replacePassword, [account, passwordHash])
      await on(endSessions, [account, null])
      await on(dropLinks, [account])
      // who had the password could have made one
      await on(dropTokens, [account])
    },

    /**
     * Replaces the password and ends all links, and all sessions but `kept`; without one, personal tokens, too. False
     * when the password is not `before` any more.
     */
    setPassword: (
      account: number,
      before: string | null,
      passwordHash: string,
      kept: Buffer | null,
    ): Promise<boolean> =>
      transaction(async (run) => {
        if ((await run(setPassword, [account, passwordHash, before])).length === 0) return false
        await run(endSessions, [account, kept])
        if (kept === null) await run(dropTokens, [account])
        // a thief of the password may have asked for a link to another address
        await run(dropLinks, [account])
        return true
      }),
  }
}
