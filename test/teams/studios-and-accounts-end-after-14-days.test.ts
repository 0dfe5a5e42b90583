import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSecret } from '../../core/process/secret.ts'
import { sweepEndings } from '../../core/accounts/command/endings.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { stageBuild } from '../support/studios.ts'
import type { System } from '../support/system.ts'
import { refusal } from '../support/failures.ts'
import { DEVELOPER, OWNER, password, rolesOf, startTeams, type Teams, working } from './teams.ts'

let { system, admin, person, studio, join } = {} as Teams
beforeAll(async () => {
  ;({ system, admin, person, studio, join } = await startTeams())
})
afterAll(() => system.close())

describe('ends of studios and accounts', () => {
  const { sql } = {
    sql: (...query: Parameters<System['database']['sql']>) => system.database.sql(...query),
  }
  const pass = async (table: 'account' | 'studio', id: number) => {
    await sql(`update ${table} set ends = ends - interval '14 days' where id = $1`, [id])
    await sweepEndings(system.cores[0]!)
  }

  test('a studio is deleted after 14 days: its games end, their statements stay; until then it can be kept', async () => {
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
      `select (select count(*) from statement where game = g.id)::int as statements, g.deleted is not null as deleted, g.slug
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
