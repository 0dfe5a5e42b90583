import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret, newSecret } from '../core/access/secret.ts'
import { sweepEndings } from '../core/command/endings.ts'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { MemberRole } from '../gen/lrs/v1/members_pb.js'
import type { CoreClient } from './support/core-client.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { bearer } from './support/xapi.ts'

const password = 'correct horse battery'
let passwordHash: string
let system: System
let admin: CoreClient
let n = 0
beforeAll(async () => {
  system = await startSystem()
  passwordHash = await system.cores[0]!.passwords.hash(password, 'test')
  admin = system.connections[0]!.as(bearer(tokens.admin))
})
afterAll(() => system.close())

const as = (session: string): CoreClient =>
  system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session })

/** A signed-in account without a studio. */
async function person() {
  const email = `person-${++n}@example.org`
  const session = newSecret()
  const [row] = await system.database.sql<{ uuid: string }>(
    `with a as (insert into account (email, password_hash) values ($1, $2) returning id, uuid),
      n as (insert into studio_session (hash, account, expires) select $3, id, now() + interval '1 hour' from a)
    select uuid from a`,
    [email, passwordHash, hashSecret(session)],
  )
  return { email, session, accountId: row!.uuid, core: as(session) }
}
type Person = Awaited<ReturnType<typeof person>>

async function studio(name = 'Blue Fox'): Promise<Studio & { accountId: string; core: CoreClient }> {
  const made = await addStudio(system, name)
  const [row] = await system.database.sql<{ uuid: string }>(
    'update account set password_hash = $2 where id = $1 returning uuid',
    [made.account, passwordHash],
  )
  return { ...made, accountId: row!.uuid, core: made.on() }
}

/** A new member who came by a link. */
async function join(owner: { core: CoreClient }, role: MemberRole, who?: Person): Promise<Person> {
  const joining = who ?? (await person())
  const { code } = await owner.core.members.inviteMember({ role })
  await joining.core.members.acceptMemberInvitation({ code })
  return joining
}

async function refusal(call: Promise<unknown>): Promise<{ reason: Reason; path: string; message: string }> {
  const error = await call.then(
    () => expect.fail('it was not refused'),
    (error) => error,
  )
  const [failure] = error.findDetails(FailureSchema)
  return { reason: failure.reason, path: failure.path, message: failure.message }
}
const rolesOf = async ({ core }: { core: CoreClient }): Promise<Record<string, MemberRole>> =>
  Object.fromEntries((await core.members.listMembers({})).members.map(({ accountId, role }) => [accountId, role]))
const working = async ({ core }: { core: CoreClient }): Promise<string | undefined> =>
  (await core.accounts.getAccount({})).studio?.name
const { OWNER, DEVELOPER, ANALYST } = MemberRole

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
      select $1::int, 'analyst', sha256(gen_random_uuid()::text::bytea), now() + interval '1 day'
      from generate_series(1, 50) n`,
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

  test('the last owner stays: no leaving, stepping down or removal, also when two owners leave at once', async () => {
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

describe('ends of studios and accounts', () => {
  const { sql } = {
    sql: (...query: Parameters<System['database']['sql']>) => system.database.sql(...query),
  }
  const pass = async (table: 'account' | 'studio', id: number) => {
    await sql(`update ${table} set ends = ends - interval '14 days' where id = $1`, [id])
    await sweepEndings(system.cores[0]!)
  }

  test('a studio is deleted after 14 days: games end, statements stay; until then it can be kept', async () => {
    const fox = await studio('Fox')
    const ann = await join(fox, DEVELOPER)
    const { gameId } = await fox.core.games.createGame({ name: 'Quiz' })
    await stageBuild(system, gameId)
    await fox.core.games.updateGame({ gameId, name: 'Quiz', summary: 'A quiz.', description: '' })
    await fox.core.games.submitForReview({ gameId, message: '' })
    const { game } = await fox.core.games.getGame({ gameId })
    const decision = { gameId, buildId: game!.staged!.buildId, approved: true, note: '' }
    const { key } = await admin.games.decideReview(decision)
    const { secret } = await fox.core.games.revealSecret({ gameId })
    const basic = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
    const asGame = system.connections[0]!.as(basic)
    const one = {
      actor: { mbox: 'mailto:a@b.org' },
      verb: { id: 'https://e.org/v' },
      object: { id: 'https://e.org/a' },
    }
    await asGame.statements.storeStatements({ json: Buffer.from(JSON.stringify(one)) })
    await sql(
      `insert into studio_message (studio, sender_name, sender_email, message) values ($1, 'x', 'x@y.z', 'x')`,
      [fox.id],
    )
    await admin.reservations.reserve({ studio: fox.slug, prefix: 'https://fox.example/' })

    const asked = { name: 'Fox', password }
    expect(await refusal(fox.core.members.deleteStudio({ ...asked, name: 'fox' }))).toMatchObject({ path: 'name' })
    expect(await refusal(fox.core.members.deleteStudio({ ...asked, password: 'wrong' }))).toMatchObject({
      path: 'password',
    })
    expect(await refusal(ann.core.members.deleteStudio(asked))).toMatchObject({ reason: Reason.FORBIDDEN })
    await fox.core.members.deleteStudio(asked)
    const { studioEnds } = await ann.core.accounts.getAccount({})
    expect(Number(studioEnds) - Date.now() / 1000).toBeGreaterThan(13.9 * 86_400)
    expect(Number(studioEnds) - Date.now() / 1000).toBeLessThan(14.1 * 86_400)
    await sweepEndings(system.cores[0]!)
    expect(await working(ann)).toBe('Fox')
    await fox.core.members.keepStudio({})
    expect((await ann.core.accounts.getAccount({})).studioEnds).toBe(0n)

    await fox.core.members.deleteStudio(asked)
    await pass('studio', fox.id)
    expect([await working(fox), await working(ann)]).toEqual([undefined, undefined])
    expect(await refusal(asGame.statements.queryStatements({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    const left = await sql(
      `select (select count(*) from statement where game = g.id)::int as statements, g.deleted is not null as deleted,
        g.slug
      from game g where uuid = $1`,
      [gameId],
    )
    expect(left).toEqual([{ statements: 1, deleted: true, slug: null }])
    for (const table of ['member', 'member_invitation', 'studio_message', 'reserved_prefix', 'upload'])
      expect(await sql(`select from ${table} where studio = $1`, [fox.id]), table).toEqual([])
    expect(await sql('select name, email, ends from studio where id = $1', [fox.id])).toEqual([
      { name: 'Deleted studio', email: null, ends: null },
    ])
    expect((await admin.accounts.listStudios({})).studios.map(({ studio }) => studio!.name)).not.toContain(
      'Deleted studio',
    )
    expect(await refusal(admin.accounts.getPublicStudio({ slug: fox.slug }))).toMatchObject({
      reason: Reason.NOT_FOUND,
    })
  })

  test('an account is deleted after 14 days, with its sessions; until then it can be kept', async () => {
    const fox = await studio('Fox')
    const ann = await join(fox, DEVELOPER)
    const asked = { name: ann.email.toUpperCase(), password }
    expect(await refusal(ann.core.members.deleteAccount({ ...asked, name: 'ann' }))).toMatchObject({ path: 'name' })
    await ann.core.members.deleteAccount(asked)
    await ann.core.members.keepAccount({})
    expect((await ann.core.accounts.getAccount({})).ends).toBe(0n)
    await ann.core.members.deleteAccount(asked)
    const [{ id }] = (await sql('select id from account where email = $1', [ann.email])) as [{ id: number }]
    await pass('account', id)
    expect(await refusal(ann.core.accounts.getAccount({}))).toMatchObject({ reason: Reason.UNAUTHENTICATED })
    for (const [table, column] of [
      ['account', 'id'],
      ['member', 'account'],
      ['studio_session', 'account'],
    ])
      expect(await sql(`select from ${table} where ${column} = $1`, [id]), table).toEqual([])
    expect(await rolesOf(fox)).toEqual({ [fox.accountId]: OWNER })
  })

  test('the last owner deletes or hands over the studio first; who keeps the studio keeps the account', async () => {
    const fox = await studio('Fox')
    const asked = { name: fox.email, password }
    expect(await refusal(fox.core.members.deleteAccount(asked))).toMatchObject({
      reason: Reason.CONFLICT,
      message: expect.stringContaining('only owner of Fox'),
    })
    await fox.core.members.deleteStudio({ name: 'Fox', password })
    await fox.core.members.deleteAccount(asked)
    await fox.core.members.keepStudio({})
    expect(await fox.core.accounts.getAccount({})).toMatchObject({ ends: 0n, studioEnds: 0n })
    await fox.core.members.deleteStudio({ name: 'Fox', password })
    await fox.core.members.deleteAccount(asked)
    await sql('update studio set ends = now() where id = $1', [fox.id])
    await pass('account', fox.account)
    expect(await sql('select email, password_hash from studio where id = $1', [fox.id])).toEqual([
      { email: null, password_hash: '' },
    ])
    expect(await sql('select from account where id = $1', [fox.account])).toEqual([])
  })

  test('an owner who is about to go does not count as one who stays', async () => {
    const fox = await studio('Fox')
    const ann = await join(fox, DEVELOPER)
    await fox.core.members.setMemberRole({ accountId: ann.accountId, role: OWNER, password })
    await ann.core.members.deleteAccount({ name: ann.email, password })
    for (const call of [
      () => fox.core.members.leaveStudio({}),
      () => fox.core.members.handOver({ accountId: ann.accountId, password }),
      () => fox.core.members.deleteAccount({ name: fox.email, password }),
    ])
      expect(await refusal(call())).toMatchObject({ reason: Reason.CONFLICT })
  })

  test('an account without a password has to have signed in just now', async () => {
    const ann = await person()
    await sql('update account set password_hash = null where email = $1', [ann.email])
    await sql(`update studio_session set proved = now() - interval '16 minutes' where hash = $1`, [
      hashSecret(ann.session),
    ])
    const asked = { name: ann.email, password: '' }
    expect(await refusal(ann.core.members.deleteAccount(asked))).toMatchObject({ reason: Reason.FORBIDDEN })
    await sql('update studio_session set proved = now() where hash = $1', [hashSecret(ann.session)])
    await ann.core.members.deleteAccount(asked)
  })
})
