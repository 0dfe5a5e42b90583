import type { PersonalToken } from '../../../gen/lrs/v1/tokens_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { TokenScope } from '../rules/token-scopes.ts'
import { scalar, sql, type Database } from '../../process/database/database.ts'
import { unlessReadOnly } from '../../process/database/store-failure.ts'
import { hasFactor, type Developer } from './studio-sessions.ts'

/** A personal token, without the token. */
export type ListedToken = Fields<PersonalToken>

/** The owner of a token as a member of its studio, with the role of now. */
export interface TokenHolder extends Developer {
  readonly token: { readonly name: string; readonly scopes: readonly TokenScope[] }
}

/** Most tokens of a member that have not expired. */
export const mostTokens = 20

const find = sql('personal_token_find')`
  select a.id as account, a.uuid as "accountId", a.email, a.email_verified is not null as verified, a.may_own as "mayOwn",
      coalesce(extract(epoch from a.ends)::bigint, 0)::float8 as ends,
      a.created > now() - interval '1 day' as "isNew", s.id as studio, s.uuid as "studioId", s.kind, m.role,
      ${hasFactor} as "hasFactor", false as "isFresh",
      t.name, t.scopes, t.used is null or t.used < now() - interval '1 hour' as old
    from personal_token t join member m on m.studio = t.studio and m.account = t.account
      join account a on a.id = t.account join studio s on s.id = t.studio
    where t.hash = $1 and t.expires > now() and a.suspended is null and s.suspended is null`
const touch = sql('personal_token_touch')`update personal_token set used = now() where hash = $1`
const count = sql('personal_token_count')`
  select count(*)::int as tokens from personal_token where studio = $1 and account = $2 and expires > now()`
const lockMember = sql('personal_token_lock')`select from member where studio = $1 and account = $2 for update`
const insert = sql('personal_token_insert')`insert into personal_token (studio, account, name, hash, scopes, expires)
    values ($1, $2, $3, $4, $5, now() + make_interval(days => $6)) returning uuid as "tokenId"`
const list = sql('personal_token_list')`
  select t.uuid as "tokenId", t.name, a.email, t.scopes, extract(epoch from t.created)::bigint::float8 as created,
      extract(epoch from t.expires)::bigint::float8 as expires,
      coalesce(extract(epoch from t.used)::bigint, 0)::float8 as "lastUsed"
    from personal_token t join account a on a.id = t.account
    where t.studio = $1 and ($2::int is null or t.account = $2) order by t.created desc limit 200`
const revoke = sql('personal_token_revoke')`
  delete from personal_token where uuid = $1 and studio = $2 and ($3::int is null or account = $3) returning name`
const sweep = sql('personal_token_sweep')`delete from personal_token where id = any (array(
    select id from personal_token where expires < now() - interval '30 days' order by expires limit $1)) returning 1`

/** Personal tokens; they end with the membership, by a foreign key. */
export function personalTokenStore({ run, essential, transaction }: Database) {
  return {
    async find(hash: Buffer): Promise<Omit<TokenHolder, 'waits' | 'waiting'> | undefined> {
      const [row] = await run(find, [hash])
      if (!row) return undefined
      const { old, name, scopes, ...member } = row
      if (old) await run(touch, [hash]).catch(unlessReadOnly)
      const holder = { ...member, reviewer: false, admin: false, session: hash, token: { name, scopes } }
      return holder as unknown as Omit<TokenHolder, 'waits' | 'waiting'>
    },

    /** Undefined: the member has as many as allowed, or has left. */
    add: (
      { studio, account }: Developer,
      { name, hash, scopes, days }: { name: string; hash: Buffer; scopes: readonly TokenScope[]; days: number },
    ): Promise<string | undefined> =>
      transaction(async (run) => {
        if ((await run(lockMember, [studio, account])).length === 0) return undefined
        const [{ tokens }] = (await run<{ tokens: number }>(count, [studio, account])) as [{ tokens: number }]
        if (tokens >= mostTokens) return undefined
        return (await run<{ tokenId: string }>(insert, [studio, account, name, hash, scopes, days]))[0]!.tokenId
      }),

    /** Those of a member, or of all members; the newest first. @param account null: all */
    list: (studio: number, account: number | null) => run<ListedToken>(list, [studio, account]),

    /** The name of the token; undefined: there is no such token. */
    revoke: (tokenId: string, studio: number, account: number | null) =>
      scalar<string | undefined>(essential(revoke, [tokenId, studio, account])),

    /** Deletes tokens that expired 30 days ago, at most `limit`; returns how many. */
    sweep: async (limit: number): Promise<number> => (await essential(sweep, [limit])).length,
  }
}
