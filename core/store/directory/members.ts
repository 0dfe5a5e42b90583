import type { MemberRole } from '../../studio/roles.ts'
import type { Database } from '../database.ts'

/** A studio that an account is a member of. */
export interface Membership {
  readonly studio: number
  /** UUID. */
  readonly studioId: string
  readonly name: string
  readonly slug: string
  readonly role: MemberRole
}

const ofAccount = {
  name: 'members_of_account',
  text: `select s.id as studio, s.uuid as "studioId", s.name, s.slug, m.role
    from member m join studio s on s.id = m.studio where m.account = $1 order by lower(s.name), s.id`,
}
const roleIn = { name: 'member_role', text: 'select role from member where studio = $1 and account = $2' }
const insert = {
  name: 'member_insert',
  text: 'insert into member (studio, account, role) values ($1, $2, $3) on conflict do nothing returning studio',
}

/** Who belongs to which studio, with which role. A given `on` is the transaction to use. */
export function memberStore({ run }: Database) {
  return {
    /** The studios of an account, by name. */
    of: (account: number): Promise<Membership[]> => run<Membership & Record<string, unknown>>(ofAccount, [account]),

    /** Undefined: the account is no member. */
    roleIn: async (studio: number, account: number, on = run): Promise<MemberRole | undefined> =>
      (await on<{ role: MemberRole }>(roleIn, [studio, account]))[0]?.role,

    /** False: it is a member already. */
    add: async (on: Database['run'], studio: number, account: number, role: MemberRole): Promise<boolean> =>
      (await on(insert, [studio, account, role])).length === 1,
  }
}
