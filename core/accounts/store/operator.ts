import type {
  OperatedStudio as OperatedStudioMessage,
  OperatedAccount as OperatedAccountMessage,
  GameSize as GameSizeMessage,
} from '../../../gen/lrs/v1/operator_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { isHeld } from './held-builds.ts'
import { patternOf } from '../../process/database/pattern.ts'
import type { Membership } from './members.ts'
import type { MemberRole } from '../rules/roles.ts'
import {
  did,
  done,
  first,
  only,
  scalar,
  seconds,
  sql,
  type Database,
  type Run,
} from '../../process/database/database.ts'

/** A studio as operators see it. Times are seconds since 1970; 0: never. */
export interface OperatedStudio extends Omit<Fields<OperatedStudioMessage>, 'members'> {
  readonly studio: number
  readonly members: readonly { readonly accountId: string; readonly email: string; readonly role: MemberRole }[]
}

/** An account as operators see it. */
export interface OperatedAccount extends Omit<Fields<OperatedAccountMessage>, 'studios'> {
  readonly account: number
  readonly studios: readonly Omit<Membership, 'studio' | 'isLastOwner'>[]
}

export interface Found<T> {
  readonly rows: readonly T[]
  /** All that match. */
  readonly total: number
}

export type GameSize = Fields<GameSizeMessage>

export interface StorageFigures {
  readonly builds: number
  readonly buildBytes: number
  readonly files: number
  readonly fileBytes: number
  readonly uploads: number
  readonly uploadBytes: number
  /** Keys that are to be removed, later or now. */
  readonly garbage: number
  readonly garbageDue: number
}

/** Studios or accounts in one list. */
const most = 100
const bytesOf = (game: string) => `(select coalesce(sum(b.size), 0) from build b
    where b.game = ${game} and ${isHeld}) as builds,
  (select coalesce(sum(f.size), 0) from game_file f where f.game = ${game}) as files`
const membersOf = `(select coalesce(jsonb_agg(jsonb_build_object('accountId', a.uuid, 'email', a.email, 'role', m.role)
  order by m.role <> 'owner', m.joined, a.id), '[]') from member m join account a on a.id = m.account
  where m.studio = s.id)`
const studios = (where: string) => `
  select s.id as studio, s.uuid as "studioId", s.name, s.slug, ${seconds('s.created')} as created, s.trusted,
    ${seconds('s.suspended')} as suspended, s.suspended_note as "suspendedNote", s.total::int, ${membersOf} as members,
    held.games::int, held.bytes::float8
  from (select *, count(*) over () as total from studio where ${where} order by lower(name), id limit ${most}) s
  cross join lateral (select count(*) as games, coalesce(sum(b.builds + b.files), 0) as bytes
    from game g cross join lateral (select ${bytesOf('g.id')}) b where g.studio = s.id and g.deleted is null) held
  order by lower(s.name), s.id`
const findStudios = sql('operator_studios')`
  ${studios(`$1 = '%' or name ilike $1 or slug ilike $1 or exists (select from member m
    join account a on a.id = m.account where m.studio = studio.id and a.email ilike $1)`)}`
const oneStudio = sql('operator_studio')`${studios('uuid = $1')}`
const setSuspended = sql('studio_set_suspended')`
  update studio set suspended = case when $2 then coalesce(suspended, now()) end, suspended_note = $3 where id = $1`
const findAccounts = sql('operator_accounts')`
  select a.id as account, a.uuid as "accountId", a.email, a.name, a.reviewer, a.admin, a.total::int,
      ${seconds('a.created')} as created, ${seconds('a.suspended')} as suspended, n.sessions::int,
      ${seconds('n.used')} as "lastUsed", ${seconds('a.email_verified')} as verified, ${seconds('a.ends')} as ends,
      a.may_own as "mayOwn", a.password_hash is not null as "hasPassword",
      (select coalesce(jsonb_agg(jsonb_build_object('studioId', s.uuid, 'name', s.name, 'slug', s.slug, 'role', m.role)
        order by lower(s.name), s.id), '[]')
        from member m join studio s on s.id = m.studio where m.account = a.id) as studios
    from (select *, count(*) over () as total from account
      where $1 = '%' or email ilike $1 or name ilike $1 or uuid::text = $2 order by email limit $3) a
    cross join lateral (select count(*) as sessions, max(used) as used from studio_session
      where account = a.id and expires > now()) n
    order by a.email`
const suspendAccount = sql('account_set_suspended')`
  update account set suspended = case when $2 then coalesce(suspended, now()) end where uuid = $1 returning id`
// what an admin says stays, whatever groups of a provider say
const setAdmin = sql('account_set_admin')`
  update account set admin = $2, provided_roles = array_remove(provided_roles, 'admin') where email = $1
    returning id`
const figures = sql('operator_storage')`select b.*, f.*, u.*, x.* from
    (select count(*)::int as builds, coalesce(sum(size), 0)::float8 as "buildBytes" from build b where ${isHeld}) b,
    (select count(*)::int as files, coalesce(sum(size), 0)::float8 as "fileBytes" from game_file) f,
    (select count(*)::int as uploads, coalesce(sum(size), 0)::float8 as "uploadBytes" from upload
      where expires > now()) u,
    (select count(*)::int as garbage, (count(*) filter (where due <= now()))::int as "garbageDue" from garbage) x`
const biggest = sql('operator_biggest_games')`
  select g.uuid as "gameId", g.name, s.uuid as "studioId", s.name as "studioName", b.builds::float8,
      b.files::float8
    from game g join studio s on s.id = g.studio cross join lateral (select ${bytesOf('g.id')}) b
    where g.deleted is null and g.sandbox_of is null and b.builds + b.files > 0
    order by b.builds + b.files desc, g.id limit $1`

/** What operators look at across studios; not for pages that many load. */
export function operatorStore({ run }: Database) {
  const found = <T>(rows: readonly (T & { total: number })[]): Found<T> => ({ rows, total: rows[0]?.total ?? 0 })
  type Row<T> = T & { total: number } & Record<string, unknown>
  return {
    /** Studios by name, slug or a member's address; by name, 100 at most. @param text empty: all */
    studios: async (text: string): Promise<Found<OperatedStudio>> =>
      found(await run<Row<OperatedStudio>>(findStudios, [patternOf(text)])),
    studio: (studioId: string): Promise<OperatedStudio | undefined> =>
      first(run<Row<OperatedStudio>>(oneStudio, [studioId])),
    setSuspended: (on: Run, studio: number, suspended: boolean, note: string) =>
      done(on(setSuspended, [studio, suspended, note])),

    /** Accounts by address or name, or the one with this UUID; by address. @param text empty: all */
    accounts: async (text: string, limit = most): Promise<Found<OperatedAccount>> =>
      found(await run<Row<OperatedAccount>>(findAccounts, [patternOf(text), text, limit])),
    /** Returns the account; undefined: there is none with this UUID. */
    suspendAccount: (accountId: string, suspended: boolean) =>
      scalar<number | undefined>(run(suspendAccount, [accountId, suspended])),

    /** False: no account has this address. */
    setAdmin: (email: string, admin: boolean) => did(run(setAdmin, [email, admin])),

    figures: () => only(run<StorageFigures>(figures, [])),
    /** The largest first. */
    biggest: (limit: number) => run<GameSize>(biggest, [limit]),
  }
}
