import type { Database } from '../database.ts'
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
}

const account = (name: string, where: string) => ({
  name: `account_${name}`,
  text: `select a.id as account, a.uuid as "accountId", a.email, a.password_hash as "passwordHash", a.reviewer, a.admin,
      a.may_own as "mayOwn", extract(epoch from a.created)::bigint::float8 as created
    from account a where ${where}`,
})
const byEmail = account('by_email', 'a.email = $1')
const byId = account('by_id', 'a.id = $1')
const insert = {
  name: 'account_insert',
  text: 'insert into account (email, password_hash) values ($1, $2) on conflict (email) do nothing returning id',
}
const setReviewer = {
  name: 'account_set_reviewer',
  text: 'update account set reviewer = $2 where email = $1 returning id',
}
const setPassword = {
  name: 'account_set_password',
  text: `update account set password_hash = $2 where id = $1 and password_hash is not distinct from $3 returning id`,
}

/** Accounts of people. */
export function accountStore({ run, transaction }: Database) {
  const one = async (query: typeof byEmail, value: string | number): Promise<Account | undefined> =>
    (await run<Account & Record<string, unknown>>(query, [value]))[0]
  return {
    byEmail: (email: string) => one(byEmail, email),
    byId: (account: number) => one(byId, account),

    /** Adds an account; undefined when the e-mail address has one. */
    add: async (on: Database['run'], email: string, passwordHash: string | null): Promise<number | undefined> =>
      (await on<{ id: number }>(insert, [email, passwordHash]))[0]?.id,

    /** False when there is no such account. */
    setReviewer: async (email: string, reviewer: boolean): Promise<boolean> =>
      (await run(setReviewer, [email, reviewer])).length === 1,

    /** Replaces the password and ends every session but `kept`; false when the password is not `before` any more. */
    setPassword: (
      account: number,
      before: string | null,
      passwordHash: string,
      kept: Buffer | null,
    ): Promise<boolean> =>
      transaction(async (run) => {
        if ((await run(setPassword, [account, passwordHash, before])).length === 0) return false
        await run(endSessions, [account, kept])
        return true
      }),
  }
}
