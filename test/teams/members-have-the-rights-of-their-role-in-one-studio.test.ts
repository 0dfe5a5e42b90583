import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { CoreClient } from '../support/core-client.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { refusal } from '../support/failures.ts'
import { ANALYST, DEVELOPER, OWNER, password, startTeams, type Teams, working } from './teams.ts'

let { system, admin, as, studio, join } = {} as Teams
beforeAll(async () => {
  ;({ system, admin, as, studio, join } = await startTeams())
})
afterAll(() => system.close())

describe('members', () => {
  test('roles count from the next call on; who is removed works for another studio, or for none', async () => {
    const [fox, owl] = [await studio('Fox'), await studio('Owl')]
    const ann = await join(fox, DEVELOPER)
    await join(owl, ANALYST, ann)
    await ann.core.members.switchStudio({ studioId: (await fox.core.accounts.getAccount({})).studio!.studioId })
    await ann.core.games.createGame({ name: 'Quiz' })
    await fox.core.members.setMemberRole({ accountId: ann.accountId, role: ANALYST })
    expect(await refusal(ann.core.games.createGame({ name: 'Quiz' }))).toMatchObject({ reason: Reason.FORBIDDEN })
    await fox.core.members.removeMember({ accountId: ann.accountId })
    expect(await working(ann)).toBe('Owl')
    await ann.core.members.leaveStudio({})
    expect(await working(ann)).toBeUndefined()
    expect((await ann.core.accounts.getAccount({})).memberships).toEqual([])
  })

  test('an account owns one studio, by whatever way, unless an admin allows more', async () => {
    const [fox, owl] = [await studio('Fox'), await studio('Owl')]
    const { code } = await fox.core.members.inviteMember({ role: DEVELOPER })
    await owl.core.members.acceptMemberInvitation({ code })
    const { accountId } = owl
    const ways = [
      () => fox.core.members.setMemberRole({ accountId, role: OWNER, password }),
      () => fox.core.members.handOver({ accountId, password }),
      () => owl.core.members.openStudio({ studioName: 'Second' }),
    ]
    for (const way of ways) expect(await refusal(way())).toMatchObject({ reason: Reason.QUOTA_EXCEEDED })
    await admin.members.allowStudios({ email: owl.email, studios: 2 })
    const opened = await Promise.allSettled([ways[2]!(), ways[2]!()])
    expect(opened.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await working(owl)).toBe('Second')
    const { accounts } = await admin.operator.findAccounts({ find: owl.email })
    expect(accounts).toMatchObject([
      {
        mayOwn: 2,
        hasPassword: true,
        sessions: 1,
        studios: [
          { name: 'Fox', role: DEVELOPER },
          { name: 'Owl', role: OWNER },
          { name: 'Second', role: OWNER },
        ],
      },
    ])
    // an e-mail address does not tell which of them is meant
    expect(await refusal(admin.quotas.setQuota({ studio: owl.email, name: 'games', limit: 3n }))).toMatchObject({
      reason: Reason.CONFLICT,
    })
    await admin.quotas.setQuota({ studio: owl.slug, name: 'games', limit: 3n })
  })

  test('members are told who comes and goes, and what becomes of them', async () => {
    const fox = await studio('Fox')
    const ann = await join(fox, DEVELOPER)
    const titles = async (account: string) =>
      (
        await system.database.sql<{ title: string }>(
          'select title from notification n join account a on a.id = n.account where a.uuid = $1 order by n.id',
          [account],
        )
      ).map(({ title }) => title)
    expect(await titles(fox.accountId)).toEqual([`${ann.email} joined Fox`])
    await fox.core.members.setMemberRole({ accountId: ann.accountId, role: ANALYST })
    await fox.core.members.deleteStudio({ name: 'Fox', password })
    await fox.core.members.keepStudio({})
    await fox.core.members.keepStudio({})
    await fox.core.members.removeMember({ accountId: ann.accountId })
    expect(await titles(ann.accountId)).toEqual([
      'You are an analyst of Fox now',
      'Fox will be deleted',
      'Fox stays',
      'You are no member of Fox any more',
    ])
    const ben = await join(fox, ANALYST)
    await ben.core.members.leaveStudio({})
    expect((await titles(fox.accountId)).at(-1)).toBe(`${ben.email} left Fox`)
  })

  test('the log of a studio names its members, and no other studio learns of them', async () => {
    const [fox, owl] = [await studio('Fox'), await studio('Owl')]
    const ann = await join(fox, DEVELOPER)
    const { accountId } = await join(owl, DEVELOPER, ann)
    await fox.core.members.setMemberRole({ accountId, role: ANALYST })
    await fox.core.members.removeMember({ accountId })
    await refusal(fox.core.members.removeMember({ accountId: owl.accountId }))
    await system.cores[0]!.audit.flush()
    const logged = async ({ core }: { core: CoreClient }) =>
      (await core.audit.listOwnEntries({ filter: { action: 'member' }, page: { limit: 20 } })).entries
        .map(({ action, subject, outcome }) => `${action} ${subject?.name} ${outcome}`)
        .toSorted()
    expect(await logged(fox)).toEqual([
      'member.invite undefined ok',
      'member.join Fox ok',
      `member.remove ${ann.email} ok`,
      'member.remove undefined not-found',
      `member.set-role ${ann.email} ok`,
    ])
    expect(await logged(owl)).toEqual(['member.invite undefined ok', 'member.join Owl ok'])
  })

  test('games and uploads count by studio, whoever of its members makes them', async () => {
    const [fox, owl] = [await studio('Fox'), await studio('Owl')]
    await admin.quotas.setQuota({ studio: fox.slug, name: 'games', limit: 2n })
    const ann = await join(fox, DEVELOPER)
    await ann.core.games.createGame({ name: 'One' })
    await fox.core.games.createGame({ name: 'Two' })
    expect(await refusal(ann.core.games.createGame({ name: 'Three' }))).toMatchObject({ reason: Reason.QUOTA_EXCEEDED })
    await join(owl, DEVELOPER, ann)
    await ann.core.games.createGame({ name: 'Three' })
    const gamesOf = async ({ core }: { core: CoreClient }) => (await core.quotas.getUsage({})).usage[0]!.used
    expect([await gamesOf(fox), await gamesOf(ann), await gamesOf(owl)]).toEqual([2n, 1n, 1n])
  })

  test('a session works for one studio, and for those of its account only', async () => {
    const [fox, owl] = [await studio('Fox'), await studio('Owl')]
    const ann = await join(fox, DEVELOPER)
    const { gameId } = await owl.core.games.createGame({ name: 'Quiz' })
    const { studioId } = (await owl.core.accounts.getAccount({})).studio!
    expect(await refusal(ann.core.members.switchStudio({ studioId }))).toMatchObject({ reason: Reason.NOT_FOUND })
    await join(owl, ANALYST, ann)
    expect((await ann.core.games.getGame({ gameId })).game).toMatchObject({ allowed: [] })
    const home = (await fox.core.accounts.getAccount({})).studio!.studioId
    await ann.core.members.switchStudio({ studioId: home })
    expect(await refusal(ann.core.games.getGame({ gameId }))).toMatchObject({ reason: Reason.NOT_FOUND })
    const { accounts } = system.connections[0]!.as(bearer(tokens.portal))
    const next = await accounts.signIn({ email: ann.email, password, senderIp: '192.0.2.78' })
    expect(await working({ core: as(next.session) })).toBe('Fox')
  })
})
