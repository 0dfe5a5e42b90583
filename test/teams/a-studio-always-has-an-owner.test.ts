import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { refusal } from '../support/failures.ts'
import { ANALYST, DEVELOPER, OWNER, password, rolesOf, startTeams, type Teams } from './teams.ts'

let { system, studio, join } = {} as Teams
beforeAll(async () => {
  ;({ system, studio, join } = await startTeams())
})
afterAll(() => system.close())

describe('members', () => {
  test('members of another studio cannot be changed', async () => {
    const [fox, owl] = [await studio('Fox'), await studio('Owl')]
    const ann = await join(fox, DEVELOPER)
    const { accountId } = ann
    for (const call of [
      () => owl.core.members.setMemberRole({ accountId, role: ANALYST, password }),
      () => owl.core.members.removeMember({ accountId, password }),
      () => owl.core.members.handOver({ accountId, password }),
    ])
      expect(await refusal(call())).toMatchObject({ reason: Reason.NOT_FOUND })
    expect((await rolesOf(fox))[accountId]).toBe(DEVELOPER)
  })

  test('what concerns owners asks for the password', async () => {
    const fox = await studio('Fox')
    const { accountId } = await join(fox, DEVELOPER)
    const wrong = { accountId, password: 'not the password' }
    for (const call of [
      () => fox.core.members.setMemberRole({ ...wrong, role: OWNER }),
      () => fox.core.members.handOver(wrong),
    ])
      expect(await refusal(call())).toMatchObject({ path: 'password' })
    await fox.core.members.setMemberRole({ accountId, role: OWNER, password })
    for (const call of [
      () => fox.core.members.setMemberRole({ ...wrong, role: ANALYST }),
      () => fox.core.members.removeMember(wrong),
    ])
      expect(await refusal(call())).toMatchObject({ path: 'password' })
    expect((await rolesOf(fox))[accountId]).toBe(OWNER)
  })

  test('the last owner stays: it cannot leave, step down or be removed, also when two owners leave at once', async () => {
    const fox = await studio('Fox')
    const { accountId } = fox
    for (const call of [
      () => fox.core.members.leaveStudio({}),
      () => fox.core.members.setMemberRole({ accountId, role: ANALYST, password }),
      () => fox.core.members.removeMember({ accountId, password }),
    ])
      expect(await refusal(call())).toMatchObject({ reason: Reason.CONFLICT })
    const ann = await join(fox, DEVELOPER)
    await fox.core.members.setMemberRole({ accountId: ann.accountId, role: OWNER, password })
    const left = await Promise.allSettled([fox, ann].map(({ core }) => core.members.leaveStudio({})))
    expect(left.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('who was an owner does not come back by a link that they made', async () => {
    const fox = await studio('Fox')
    const ann = await join(fox, DEVELOPER)
    await fox.core.members.setMemberRole({ accountId: ann.accountId, role: OWNER, password })
    const { code } = await ann.core.members.inviteMember({ role: DEVELOPER })
    await fox.core.members.removeMember({ accountId: ann.accountId, password })
    expect(await refusal(ann.core.members.acceptMemberInvitation({ code }))).toMatchObject({ reason: Reason.NOT_FOUND })
    expect((await fox.core.members.listMembers({})).invitations).toEqual([])
  })

  test('ownership is handed over', async () => {
    const fox = await studio('Fox')
    const ann = await join(fox, ANALYST)
    await fox.core.members.handOver({ accountId: ann.accountId, password })
    expect(await rolesOf(ann)).toEqual({ [ann.accountId]: OWNER, [fox.accountId]: DEVELOPER })
    expect(await refusal(fox.core.members.inviteMember({ role: ANALYST }))).toMatchObject({ reason: Reason.FORBIDDEN })
  })
})
