import type { ProviderSettings } from '../rules/sign-in-provider.ts'
import { done, first, sql, type Database, type Run } from '../../process/database/database.ts'

/** A provider of OpenID Connect, as it is kept. */
export interface SignInProvider extends ProviderSettings {
  readonly id: number
  /** UUID: the row of the sealed secret. */
  readonly uuid: string
  readonly name: string
  readonly issuer: string
  /** Sealed; null: none. */
  readonly clientSecret: Buffer | null
}

export type ListedProvider = Omit<SignInProvider, 'clientSecret'> & {
  readonly hasSecret: boolean
  /** Seconds since 1970. */
  readonly created: number
  /** Accounts that are linked to it. */
  readonly links: number
}

const columns = `p.id, p.uuid, p.name, p.label, p.issuer, p.client_id as "clientId", p.scopes, p.opens, p.domains,
  p.group_claim as "groupClaim", coalesce((select s.slug from studio s where s.id = p.school), '') as school,
  jsonb_build_object('admin', p.admin_groups, 'reviewer', p.reviewer_groups, 'studio', p.studio_groups) as groups`
const one = (name: string, where: string) => sql(`sign_in_provider_${name}`)`
  select ${columns}, p.client_secret as "clientSecret" from sign_in_provider p where ${where}`
const byName = one('by_name', 'p.name = $1')
const byId = one('by_id', 'p.id = $1')
const list = sql('sign_in_provider_list')`select ${columns}, p.client_secret is not null as "hasSecret",
      extract(epoch from p.created)::bigint::float8 as created,
      (select count(*)::int from provider_link l where l.provider = p.id) as links
    from sign_in_provider p order by p.name`
const labels = sql('sign_in_provider_labels')`select name, label from sign_in_provider order by label, name`
// the lock: two that are added at once are counted one after the other
const lockAll = sql('sign_in_provider_lock')`lock table sign_in_provider in share row exclusive mode`
const count = sql('sign_in_provider_count')`select count(*)::int as count from sign_in_provider`
const schoolOf = (slug: string) => `(select id from studio where slug = ${slug} and kind = 'school' and ended is null)`
const insert = sql('sign_in_provider_insert')`
  insert into sign_in_provider (uuid, name, issuer, client_secret, label, client_id, scopes, group_claim,
      admin_groups, reviewer_groups, studio_groups, opens, domains, school)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ${schoolOf('$14')}) on conflict (name) do nothing returning id`
const update = sql('sign_in_provider_update')`
  update sign_in_provider set client_secret = case when $2 then $3 else client_secret end, label = $4,
      client_id = $5, scopes = $6, group_claim = $7, admin_groups = $8, reviewer_groups = $9, studio_groups = $10,
      opens = $11, domains = $12, school = ${schoolOf('$13')} where id = $1`
const remove = sql('sign_in_provider_delete')`delete from sign_in_provider where id = $1`

const valuesOf = ({
  label,
  clientId,
  scopes,
  groupClaim,
  groups,
  opens,
  domains,
  school,
}: ProviderSettings): unknown[] => [
  label,
  clientId,
  scopes,
  groupClaim,
  groups.admin,
  groups.reviewer,
  groups.studio,
  opens,
  domains,
  school,
]

/** Providers with which people sign in. */
export function signInProviderStore({ run, transaction }: Database) {
  return {
    byName: (name: string) => first(run<SignInProvider>(byName, [name])),
    byId: (id: number) => first(run<SignInProvider>(byId, [id])),
    /** By name. */
    list: () => run<ListedProvider>(list, []),
    /** By label, what a sign-in page shows. */
    labels: () => run<{ name: string; label: string }>(labels, []),

    /** `full`: there are as many as there may be; `taken`: there is one of this name. */
    add: (
      { uuid, name, issuer, clientSecret, ...settings }: Omit<SignInProvider, 'id'>,
      most: number,
    ): Promise<'added' | 'taken' | 'full'> =>
      transaction(async (run) => {
        await run(lockAll, [])
        if ((await run<{ count: number }>(count, []))[0]!.count >= most) return 'full'
        const added = await run(insert, [uuid, name, issuer, clientSecret, ...valuesOf(settings)])
        return added.length === 1 ? 'added' : 'taken'
      }),

    /** @param clientSecret undefined: it stays */
    update: (id: number, settings: ProviderSettings, clientSecret: Buffer | null | undefined) =>
      done(run(update, [id, clientSecret !== undefined, clientSecret ?? null, ...valuesOf(settings)])),

    remove: (on: Run, id: number) => done(on(remove, [id])),
  }
}
