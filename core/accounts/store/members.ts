import type { Membership as MembershipMessage, Member as MemberMessage } from '../../../gen/lrs/v1/members_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { MemberRole, OrganisationKind } from '../rules/roles.ts'
import { did, done, first, scalar, sql, type Database, type Run } from '../../process/database/database.ts'

/** A studio that an account is a member of. */
export interface Membership extends Omit<Fields<MembershipMessage>, 'role' | 'kind'> {
  readonly studio: number
  readonly role: MemberRole
  readonly kind: OrganisationKind
}

export interface Member extends Omit<Fields<MemberMessage>, 'role'> {
  readonly account: number
  readonly role: MemberRole
}

/** SQL: an owner of the studio `m.studio` other than the account `m.account`, who does not delete their account. */
const otherOwner = `select from member n join account o on o.id = n.account
  where n.studio = m.studio and n.account <> m.account and n.role = 'owner' and o.ends is null`
const ofAccount = sql('members_of_account')`select s.id as studio, s.uuid as "studioId", s.kind, s.name, s.slug, m.role,
      m.role = 'owner' and s.ends is null and not exists (${otherOwner}) as "isLastOwner"
    from member m join studio s on s.id = m.studio where m.account = $1 order by lower(s.name), s.id`
const roleIn = sql('member_role')`select role from member where studio = $1 and account = $2`
const member = `select a.id as account, a.uuid as "accountId", a.email, a.name, m.role,
    extract(epoch from m.joined)::bigint::float8 as joined
  from member m join account a on a.id = m.account where m.studio = $1`
const list = sql('members_of_studio')`${member} order by m.joined, a.id limit 1000`
const find = sql('member_find')`${member} and a.uuid = $2`
const lock = sql('members_lock')`select name from studio where id = $1 for update`
const hasOtherOwner = sql('member_other_owner')`
  select from member m where m.studio = $1 and m.account = $2 and exists (${otherOwner})`
const count = sql('members_count')`select count(*)::int as members from member where studio = $1`
const insert = sql('member_insert')`
  insert into member (studio, account, role) values ($1, $2, $3) on conflict do nothing returning studio`
const setRole = sql('member_set_role')`update member set role = $3 where studio = $1 and account = $2`
const remove = sql('member_remove')`delete from member where studio = $1 and account = $2`
const moveSessions = sql('member_move_sessions')`
  with a as (update account set studio = null where id = $2 and studio = $1)
    update studio_session set studio = (
      select studio from member where account = $2 and studio <> $1 order by joined, studio limit 1)
    where account = $2 and studio = $1`
const lockAccount = sql('member_lock_account')`select may_own as "mayOwn" from account where id = $1 for update`
const countOwned = sql('members_owned')`select count(*)::int as owned from member where account = $1 and role = 'owner'`

/** Who belongs to which studio, with which role. A given `on` is the transaction to use. */
export function memberStore({ run }: Database) {
  return {
    /** The studios of an account, by name. */
    of: (account: number, on = run) => on<Membership>(ofAccount, [account]),

    /** Undefined: the account is no member. */
    roleIn: (studio: number, account: number, on = run) =>
      scalar<MemberRole | undefined>(on(roleIn, [studio, account])),

    /** Those who joined first come first. */
    list: (studio: number) => run<Member>(list, [studio]),

    /** @param accountId UUID */
    find: (studio: number, accountId: string, on = run) => first(on<Member>(find, [studio, accountId])),

    /** Holds back every other change of the studio's members until the transaction ends; returns the studio's name. */
    lock: async (on: Run, studio: number): Promise<string> =>
      (await on<{ name: string }>(lock, [studio]))[0]?.name ?? '',

    count: (on: Run, studio: number) => scalar<number>(on(count, [studio])),

    /** Whether the studio has an owner who stays, other than this member. */
    hasOtherOwner: (on: Run, studio: number, account: number) => did(on(hasOtherOwner, [studio, account])),

    /** How many studios the account owns and may own; locks the account. */
    async lockOwned(on: Run, account: number): Promise<{ owned: number; mayOwn: number }> {
      const [{ mayOwn } = { mayOwn: 0 }] = await on<{ mayOwn: number }>(lockAccount, [account])
      // by a query of its own: it sees what others changed before they gave the lock free
      return { mayOwn, owned: (await on<{ owned: number }>(countOwned, [account]))[0]!.owned }
    },

    /** False: it is a member already. */
    add: (on: Run, studio: number, account: number, role: MemberRole) => did(on(insert, [studio, account, role])),

    setRole: (on: Run, studio: number, account: number, role: MemberRole) => done(on(setRole, [studio, account, role])),

    /** The sessions of the account work for another one of its studios from now on. */
    async remove(on: Run, studio: number, account: number): Promise<void> {
      await on(remove, [studio, account])
      await on(moveSessions, [studio, account])
    },
  }
}
