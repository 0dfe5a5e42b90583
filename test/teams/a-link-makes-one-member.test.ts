import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { refusal } from '../support/failures.ts'
import { ANALYST, DEVELOPER, OWNER, password, rolesOf, startTeams, type Teams, working } from './teams.ts'

let { system, as, person, studio } = {} as Teams
beforeAll(async () => {
  ;({ system, as, person, studio } = await startTeams())
})
afterAll(() => system.close())

describe('invitations', () => {
  test('a link makes one account a member, once, with the role that it names', async () => {
    const owner = await studio('Fox')
    const { code } = await owner.core.members.inviteMember({ role: ANALYST, email: ' Ann@Example.org' })
    const { members } = system.connections[0]!.as(bearer(tokens.portal))
    expect(await members.getMemberInvitation({ code })).toMatchObject({ studioName: 'Fox', role: ANALYST })
    expect((await owner.core.members.listMembers({})).invitations).toMatchObject([{ email: 'ann@example.org' }])
    const [ann, ben] = [await person(), await person()]
    const tried = await Promise.allSettled([ann, ben].map(({ core }) => core.members.acceptMemberInvitation({ code })))
    expect(tried.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const [winner, other] = tried[0]!.status === 'fulfilled' ? [ann, ben] : [ben, ann]
    expect(await rolesOf(owner)).toEqual({ [owner.accountId]: OWNER, [winner.accountId]: ANALYST })
    expect([await working(winner), await working(other)]).toEqual(['Fox', undefined])
    expect(await refusal(members.getMemberInvitation({ code }))).toMatchObject({ reason: Reason.NOT_FOUND })
    expect((await owner.core.members.listMembers({})).invitations).toEqual([])
    expect((await winner.core.members.listMembers({})).invitations).toEqual([])
  })

  test('none makes an owner; a revoked, an old and a made-up one is good for nothing; a member keeps it', async () => {
    const owner = await studio()
    expect(await refusal(owner.core.members.inviteMember({ role: OWNER }))).toMatchObject({ path: 'role' })
    const { code } = await owner.core.members.inviteMember({ role: DEVELOPER })
    expect(await refusal(owner.core.members.acceptMemberInvitation({ code }))).toMatchObject({
      message: expect.stringContaining('still good'),
    })
    const { invitations } = await owner.core.members.listMembers({})
    const { invitationId } = invitations[0]!
    const stranger = await studio('Owl')
    for (const core of [stranger.core, owner.core]) {
      const call = core.members.revokeMemberInvitation({ invitationId })
      if (core === stranger.core) expect(await refusal(call)).toMatchObject({ reason: Reason.NOT_FOUND })
      else await call
    }
    const late = await owner.core.members.inviteMember({ role: DEVELOPER })
    await system.database.sql('update member_invitation set expires = now() where studio = $1', [owner.id])
    const guest = await person()
    for (const dead of [code, late.code, 'x'.repeat(43), ''])
      expect(await refusal(guest.core.members.acceptMemberInvitation({ code: dead }))).toMatchObject({
        reason: Reason.NOT_FOUND,
      })
  })

  test('who is invited signs up without a studio of their own; without a good link nobody does', async () => {
    const owner = await studio('Fox')
    const { code } = await owner.core.members.inviteMember({ role: DEVELOPER })
    const { accounts } = system.connections[0]!.as(bearer(tokens.portal))
    const wanted = { email: 'guest@example.org', password, senderIp: '192.0.2.77' }
    expect(await refusal(accounts.signUp({ ...wanted, invitation: 'x' }))).toMatchObject({ reason: Reason.NOT_FOUND })
    expect(await refusal(accounts.signUp(wanted))).toMatchObject({ path: 'studio_name' })
    const core = as((await accounts.signUp({ ...wanted, invitation: code })).session)
    expect(await core.accounts.getAccount({})).toMatchObject({ email: wanted.email, memberships: [] })
    expect(await working({ core })).toBeUndefined()
    expect(await refusal(core.games.createGame({ name: 'Quiz' }))).toMatchObject({ reason: Reason.FORBIDDEN })
    await core.members.acceptMemberInvitation({ code })
    expect(await working({ core })).toBe('Fox')
  })

  test('a studio has 50 open invitations at most, and makes 30 an hour', async () => {
    const owner = await studio()
    await system.database.sql(
      `insert into member_invitation (studio, role, code_hash, expires)
      select $1::int, 'analyst', sha256(gen_random_uuid()::text::bytea), now() + interval '1 day' from generate_series(1, 50) n`,
      [owner.id],
    )
    expect(await refusal(owner.core.members.inviteMember({ role: ANALYST }))).toMatchObject({
      reason: Reason.QUOTA_EXCEEDED,
    })
    await system.database.sql('update member_invitation set expires = now() where studio = $1', [owner.id])
    for (let made = 0; made < 30; made++) await owner.core.members.inviteMember({ role: ANALYST })
    expect(await refusal(owner.core.members.inviteMember({ role: ANALYST }))).toMatchObject({
      reason: Reason.RATE_LIMITED,
    })
  })
})
