import type { MemberInvitation as MemberInvitationMessage } from '../../../gen/lrs/v1/members_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import { members as limits } from '../../../shared/limits.ts'
import type { MemberRole, OrganisationKind } from '../rules/roles.ts'
import { did, done, first, sql, type Database, type Run } from '../../process/database/database.ts'

/** A link for one new member; its code is not stored. */
export interface MemberInvitation extends Omit<Fields<MemberInvitationMessage>, 'role'> {
  readonly role: MemberRole
}

/** What the link leads to. */
export interface OpenInvitation extends MemberInvitation {
  readonly studio: number
  /** UUID. */
  readonly studioId: string
  readonly studioName: string
  readonly kind: OrganisationKind
}

const columns = `i.uuid as "invitationId", i.role, i.email,
  extract(epoch from i.created)::bigint::float8 as created, extract(epoch from i.expires)::bigint::float8 as expires`
const list = sql('member_invitations_of')`
  select ${columns} from member_invitation i where i.studio = $1 and i.expires > now()
    order by i.created desc, i.uuid limit ${limits.invitations}`
const byCode = sql('member_invitation_by_code')`
  select ${columns}, i.studio, s.uuid as "studioId", s.name as "studioName", s.kind from member_invitation i
      join studio s on s.id = i.studio
    where i.code_hash = $1 and i.expires > now() and s.ended is null`
const clear = sql('member_invitations_clear')`delete from member_invitation where studio = $1 and expires < now()`
const count = sql('member_invitations_count')`
  select count(*)::int as invitations from member_invitation where studio = $1`
const insert = sql('member_invitation_add')`
  insert into member_invitation (uuid, studio, role, email, code_hash, expires)
    values ($1, $2, $3, $4, $5, now() + ${limits.invitationDays} * interval '1 day')`
const remove = sql('member_invitation_remove')`
  delete from member_invitation where studio = $1 and uuid = $2 returning uuid`
const endAll = sql('member_invitations_end')`delete from member_invitation where studio = $1`
const use = sql('member_invitation_use')`delete from member_invitation where code_hash = $1`

/** Invitations of members, found by the hash of their code. Transactions that change them lock the studio first. */
export function memberInvitationStore({ run }: Database) {
  return {
    /** The newest first. */
    list: (studio: number) => run<MemberInvitation>(list, [studio]),

    /** Undefined: it was used or revoked, it has ended, or there was none. */
    byCode: (codeHash: Buffer, on = run) => first(on<OpenInvitation>(byCode, [codeHash])),

    /** False: there are as many as there may be. */
    async add(
      on: Run,
      { invitationId, studio, role, email }: Pick<OpenInvitation, 'invitationId' | 'studio' | 'role' | 'email'>,
      codeHash: Buffer,
    ): Promise<boolean> {
      await on(clear, [studio])
      const [there] = await on<{ invitations: number }>(count, [studio])
      if (there!.invitations >= limits.invitations) return false
      await on(insert, [invitationId, studio, role, email, codeHash])
      return true
    },

    /** False: the studio has no such invitation. */
    remove: (studio: number, invitationId: string) => did(run(remove, [studio, invitationId])),

    endAll: (on: Run, studio: number) => done(on(endAll, [studio])),

    use: (on: Run, codeHash: Buffer) => done(on(use, [codeHash])),
  }
}
