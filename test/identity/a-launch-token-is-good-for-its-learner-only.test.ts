import { Code } from '@connectrpc/connect'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchTokens } from '../../core/games/access/launch-tokens.ts'
import { signingKey, startSystem, tokens, type System } from '../support/system.ts'
import { activity, player, statement, voiding } from '../support/statements.ts'
import { bearer } from '../support/xapi.ts'
import { codeOf } from '../support/failures.ts'

let system: System
let clock = Date.now()
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2, now: () => clock })
})
afterAll(() => system.close())

describe('launch tokens', () => {
  const ann = { ...player('ann'), name: 'Ann' }
  const ben = player('ben')

  test('put their actor on every statement, whatever the client sends', async () => {
    const game = await system.game()
    const xapi = game.xapi().as(await game.launch(ann))
    const { actor: _, ...without } = statement()
    const sent = [
      statement({ actor: ben }),
      { ...statement(), ...without, id: crypto.randomUUID() },
      statement({ actor: null }),
      statement({ actor: { mbox: 'nobody' } }),
      statement({ actor: 7 }),
    ]
    expect((await xapi.post(sent)).status).toBe(200)
    const found = await game.xapi().all()
    expect(found).toHaveLength(5)
    for (const { actor, authority } of found) {
      expect(actor).toEqual(ann)
      expect(authority.account.name).toBe(game.key)
    }
    expect(await game.xapi().all({ agent: ben })).toEqual([])
    expect(await game.xapi().all({ agent: ann })).toHaveLength(5)
  })

  test('see the statements of their learner only, and no other agent: 403', async () => {
    const game = await system.game()
    const [own, other] = [statement({ actor: ann }), statement({ actor: ben })]
    await game.xapi().post([own, other])
    const xapi = game.xapi().as(await game.launch(ann))
    expect((await xapi.all()).map(({ id }) => id)).toEqual([own.id])
    expect((await xapi.all({ agent: ann, related_agents: true })).map(({ id }) => id)).toEqual([own.id])
    expect((await xapi.get({ statementId: other.id })).status).toBe(404)
    expect((await xapi.get({ statementId: own.id })).status).toBe(200)
    const { more } = (await game.xapi().get({ limit: 1 })).json
    expect(
      (await xapi.request('GET', more)).json.statements.every(
        ({ actor }: { actor: unknown }) => JSON.stringify(actor) === JSON.stringify(ann),
      ),
    ).toBe(true)
    const state = { activityId: activity('chess').id, stateId: 'x' }
    const refused = [
      xapi.get({ agent: ben }),
      xapi.request('PUT', 'activities/state', { query: { ...state, agent: ben }, body: {} }),
      xapi.request('GET', 'activities/state', { query: { ...state, agent: ben } }),
      xapi.request('DELETE', 'activities/state', { query: { activityId: state.activityId, agent: ben } }),
      xapi.request('PUT', 'agents/profile', { query: { agent: ben, profileId: 'x' }, body: {} }),
      xapi.request('GET', 'agents', { query: { agent: ben } }),
    ]
    for (const { status, json } of await Promise.all(refused)) {
      expect(status).toBe(403)
      expect(json.message).toContain('learner')
    }
    expect(
      (await xapi.request('PUT', 'activities/state', { query: { ...state, agent: player('ann') }, body: {} })).status,
    ).toBe(204)
  })

  test('void statements of their own learner only: those that are stored, and those beside', async () => {
    const game = await system.game()
    const [ann, ben] = await Promise.all(
      [player('ann'), player('ben')].map(async (actor) => game.xapi().as(await game.launch(actor))),
    )
    const [bens, coming, first, second] = Array.from({ length: 4 }, () => statement({ actor: undefined }))
    await ben!.post(bens)
    await ann!.post(first)
    // it is refused whole, by POST as by PUT: nothing of it is stored
    const beside = statement({ actor: undefined })
    const refused = [
      ann!.post([beside, voiding(bens.id)]),
      ann!.post(voiding(coming.id)),
      ann!.put(crypto.randomUUID(), voiding(bens.id.toUpperCase())),
      ann!.post([{ ...bens, actor: undefined }, voiding(bens.id)]),
    ]
    for (const answer of await Promise.all(refused))
      expect(answer).toMatchObject({
        status: 403,
        json: { message: expect.stringContaining('A launch token voids statements of its own learner') },
      })
    await ben!.post(coming)
    for (const { id } of [bens, coming]) expect((await game.xapi().get({ statementId: id })).status).toBe(200)
    expect((await game.xapi().get({ statementId: beside.id })).status).toBe(404)
    const own = [second, voiding(second.id), voiding(first.id)]
    for (let attempt = 0; attempt < 2; attempt++) expect((await ann!.post(own)).status).toBe(200)
    for (const { id } of [first, second]) expect((await game.xapi().get({ voidedStatementId: id })).status).toBe(200)
    // the game itself voids whatever is its own
    expect((await game.xapi().post(voiding(bens.id))).status).toBe(200)
    expect((await game.xapi().get({ voidedStatementId: bens.id })).status).toBe(200)
  })

  test('are 401 when forged in any way', async () => {
    const game = await system.game()
    const good = (await game.launch(ann)).slice('Bearer '.length)
    const [header, payload, signature] = good.split('.') as [string, string, string]
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const sign = (alter: (jwt: SignJWT) => SignJWT, alg = 'HS256', key: Uint8Array = signingKey, over: object = {}) =>
      alter(new SignJWT({ ...claims, ...over }).setProtectedHeader({ alg, typ: 'launch+jwt' })).sign(key)
    const same = (jwt: SignJWT) => jwt
    expect(
      (
        await game
          .xapi()
          .as(bearer(await sign(same)))
          .get()
      ).status,
    ).toBe(200)
    const forged = [
      `${encode({ alg: 'none', typ: 'launch+jwt' })}.${payload}.`,
      `${encode({ alg: 'none', typ: 'launch+jwt' })}.${payload}.${signature}`,
      `${encode({ alg: 'RS256', typ: 'launch+jwt' })}.${payload}.${signature}`,
      `${header}.${encode({ ...claims, actor: JSON.stringify(ben) })}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${payload}`,
      await sign(same, 'HS512', Buffer.concat([signingKey, signingKey])),
      await sign(same, 'HS256', Buffer.alloc(32, 8)),
      await sign((jwt) => jwt.setAudience('another:service')),
      await sign(same, 'HS256', signingKey, { exp: undefined }),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(signingKey),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(signingKey),
      await sign(same, 'HS256', signingKey, { key: 'unknown' }),
      await sign(same, 'HS256', signingKey, { game: crypto.randomUUID() }),
      (
        await launchTokens([Buffer.alloc(32, 9)]).mint({
          gameId: game.id,
          key: game.key,
          actor: claims.actor,
          registration: claims.registration,
        })
      ).token,
      tokens.gateway,
      tokens.admin,
      '',
      'a.b.c',
    ]
    for (const token of forged) expect((await game.xapi().as(bearer(token)).get()).status, token).toBe(401)
  })

  test('end after two hours, though they were used before', async () => {
    const game = await system.game()
    const began = clock
    const launch = await game.launch(ann)
    const tries = async () =>
      (await Promise.all([0, 1].map((gateway) => game.xapi(gateway).as(launch).get()))).map(({ status }) => status)
    try {
      expect(await tries()).toEqual([200, 200])
      clock = Math.floor(began / 1000) * 1000 + 2 * 60 * 60 * 1000 - 1_000
      expect(await tries()).toEqual([200, 200])
      clock += 2_000
      expect(await tries()).toEqual([401, 401])
      const inspected = await codeOf(
        system.admin.identity.inspectLaunchToken({ token: launch.slice('Bearer '.length) }),
      )
      expect(inspected).toBe(Code.Unauthenticated)
    } finally {
      clock = began
    }
  })

  test('tell what they are bound to; are minted for learners with an identifier only', async () => {
    const game = await system.game()
    const registration = '44444444-0000-4000-8000-000000000001'
    const token = (await game.launch(ann, registration)).slice('Bearer '.length)
    const bound = await system.admin.identity.inspectLaunchToken({ token })
    expect(bound).toMatchObject({ gameId: game.id, key: game.key, registration })
    expect(JSON.parse(bound.actor)).toEqual(ann)
    expect(Number(bound.expires)).toBe(Math.floor(clock / 1000) + 7_200)
    for (const actor of [
      '{}',
      '{"objectType":"Group","member":[]}',
      '{',
      '[]',
      JSON.stringify({ ...ann, mbox: 'mailto:ann@example.org' }),
      '{"mbox":"mailto:a@example.org","\\u0000":1}',
    ]) {
      expect(await codeOf(system.admin.identity.mintLaunchToken({ key: game.key, actor })), actor).toBe(
        Code.InvalidArgument,
      )
    }
    expect(
      await codeOf(
        system.admin.identity.mintLaunchToken({
          key: game.key,
          actor: '{"objectType":"Group","mbox":"mailto:g@example.org"}',
        }),
      ),
    ).toBe(Code.InvalidArgument)
  })
})
