import type { ProviderLink as Message } from '../../../gen/lrs/v1/providers_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { ProvidedRole } from '../rules/sign-in-provider.ts'
import { done, first, sql, type Database, type Run } from '../../process/database/database.ts'

/** The account of a person at a provider. */
export interface LinkedAccount {
  readonly account: number
  readonly email: string
  /** Null: none. */
  readonly passwordHash: string | null
  readonly suspended: boolean
}

/** A provider with which an account signs in. */
export interface ProviderLink extends Omit<Fields<Message>, 'provider' | 'last'> {
  readonly name: string
  readonly label: string
}

/** A person at a provider. */
export interface AtProvider {
  /** Id of the provider. */
  readonly provider: number
  readonly subject: string
  /** To show: an address or a name. */
  readonly person: string
  readonly roles: readonly ProvidedRole[]
}

const find = sql('provider_link_find')`
  select a.id as account, a.email, a.password_hash as "passwordHash", a.suspended is not null as suspended
    from provider_link l join account a on a.id = l.account where l.provider = $1 and l.subject = $2`
const seen = sql('provider_link_seen')`
  update provider_link set person = $3, roles = $4, used = case when $5 then now() else used end
    where provider = $1 and subject = $2 returning account`
const insert = sql('provider_link_insert')`
  insert into provider_link (provider, subject, person, roles, account) values ($1, $2, $3, $4, $5)
    on conflict do nothing returning account`
/**
 * Gives the account what its providers say, and takes away what only providers gave. What an admin gave stays.
 * `provided_roles` are those that only providers gave.
 */
const settle = sql('provider_link_settle')`with want as (
      select coalesce(array_agg(distinct role), '{}') as roles
      from provider_link l cross join unnest(l.roles) role where l.account = $1)
    update account a set
      admin = 'admin' = any(w.roles) or (a.admin and 'admin' <> all(a.provided_roles)),
      reviewer = 'reviewer' = any(w.roles) or (a.reviewer and 'reviewer' <> all(a.provided_roles)),
      may_own = case when 'studio' = any(w.roles) then greatest(a.may_own, 1)
        when 'studio' = any(a.provided_roles) and a.may_own = 1 then 0 else a.may_own end,
      provided_roles = array(select role from unnest(w.roles) role where role = any(a.provided_roles)
        or not case role when 'admin' then a.admin when 'reviewer' then a.reviewer else a.may_own > 0 end)
    from want w where a.id = $1`
const verify = sql('provider_link_verify')`
  update account set email_verified = coalesce(email_verified, now()) where id = $1 and email = $2`
const open = sql('provider_link_open')`
  insert into account (email, email_verified, name, may_own) values ($1, now(), $2, $3)
    on conflict (email) do nothing returning id as account`
const ofAccount = sql('provider_links_of_account')`
  select p.name, p.label, l.person, extract(epoch from l.linked)::bigint::float8 as created,
      coalesce(extract(epoch from l.used)::bigint::float8, 0) as "lastUsed"
    from provider_link l join sign_in_provider p on p.id = l.provider where l.account = $1 order by p.label, p.name`
const lock = sql('provider_link_lock')`select 1 from account where id = $1 for update`
const remove = sql('provider_link_delete')`delete from provider_link l using sign_in_provider p
    where l.account = $1 and p.id = l.provider and p.name = $2 returning 1`
/** Ways of an account to sign in. */
const ways = `((a.password_hash is not null)::int
  + (select count(*)::int from provider_link w where w.account = a.id))`
const waysOf = sql('sign_in_ways')`select ${ways} as ways from account a where a.id = $1`
const accountsOf = sql('provider_link_accounts')`
  select l.account, ${ways} as ways from provider_link l join account a on a.id = l.account where l.provider = $1`

/** Which account a person at a provider has. Calls with `on` are part of its transaction. */
export function providerLinkStore({ run }: Database) {
  return {
    find: (provider: number, subject: string, on = run) => first(on<LinkedAccount>(find, [provider, subject])),

    /** Notes what the provider says of the person now. @param signedIn the person signs in with it */
    async seen(on: Run, { provider, subject, person, roles }: AtProvider, signedIn: boolean): Promise<void> {
      const [row] = await on<{ account: number }>(seen, [provider, subject, person, roles, signedIn])
      if (row) await on(settle, [row.account])
    },

    /** False when the person or the account is linked already. */
    async add(on: Run, { provider, subject, person, roles }: AtProvider, account: number): Promise<boolean> {
      if ((await on(insert, [provider, subject, person, roles, account])).length === 0) return false
      await on(settle, [account])
      return true
    },

    /** An account without a password; undefined when the address has one. */
    open: (on: Run, email: string, name: string, mayOwn: number) =>
      first(on<{ account: number }>(open, [email, name, mayOwn])),

    /** The provider has verified the address, which counts if it is that of the account. */
    verified: (on: Run, account: number, email: string) => done(on(verify, [account, email])),

    /** By label. */
    of: (account: number, on = run) => on<ProviderLink>(ofAccount, [account]),
    /** In how many ways the account can sign in. */
    ways: async (account: number, on = run): Promise<number> =>
      (await on<{ ways: number }>(waysOf, [account]))[0]?.ways ?? 0,
    /** Nobody else adds or removes a way to sign in until the commit. */
    lock: (on: Run, account: number) => done(on(lock, [account])),
    /** False when there is no such link. */
    async remove(on: Run, account: number, name: string): Promise<boolean> {
      if ((await on(remove, [account, name])).length === 0) return false
      await on(settle, [account])
      return true
    },
    /** The linked accounts, with the number of ways in which each can sign in. */
    accountsOf: (on: Run, provider: number) => on<{ account: number; ways: number }>(accountsOf, [provider]),
    settle: (on: Run, account: number) => done(on(settle, [account])),
  }
}
