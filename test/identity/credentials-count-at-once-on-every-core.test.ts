import { hash } from 'node:crypto'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { startSystem, type System } from '../support/system.ts'
import { activity, player, statement } from '../support/statements.ts'
import { basic, type XapiClient } from '../support/xapi.ts'
import { codeOf } from '../support/failures.ts'

let system: System
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2 })
})
afterAll(() => system.close())

/** Every resource once, with reads and writes. */
async function statuses(xapi: XapiClient): Promise<number[]> {
  const state = { activityId: activity('chess').id, agent: player('ann'), stateId: 'x' }
  const calls = [
    xapi.get({ limit: 1 }),
    xapi.get({ verb: 'no IRI' }),
    xapi.post(statement()),
    xapi.post([]),
    xapi.post('{'),
    xapi.put(crypto.randomUUID(), statement()),
    xapi.request('PUT', 'activities/state', { query: state, body: {} }),
    xapi.request('GET', 'activities/state', { query: state }),
    xapi.request('GET', 'activities', { query: { activityId: activity('chess').id } }),
    xapi.request('GET', 'agents', { query: { agent: player('ann') } }),
  ]
  return (await Promise.all(calls)).map(({ status }) => status)
}

describe('credentials', () => {
  test('are issued once for a game, and only their hash is kept', async () => {
    const game = await system.game()
    expect(await codeOf(system.admin.identity.issueCredential({ gameId: game.id }))).toBe(Code.Aborted)
    expect(await codeOf(system.admin.identity.issueCredential({ gameId: crypto.randomUUID() }))).toBe(Code.NotFound)
    expect(game.secret.length).toBeGreaterThanOrEqual(43)
    const [row] = await system.database.sql<{ secret_hash: Buffer; all: string }>(
      'select secret_hash, c::text as all from credential c where key = $1',
      [game.key],
    )
    expect(row!.secret_hash).toEqual(hash('sha256', game.secret, 'buffer'))
    expect(row!.all).not.toContain(game.secret)
  })

  test('are refused without a difference between an unknown key and a wrong secret', async () => {
    const game = await system.game()
    const wrong = await game.xapi().as(basic(game.key, 'wrong')).get()
    const unknown = await game.xapi().as(basic('unknown', game.secret)).get()
    expect([wrong.status, wrong.text]).toEqual([unknown.status, unknown.text])
    for (const authorization of [
      basic(game.key, ''),
      basic(game.key, `${game.secret}x`),
      basic(game.key.toUpperCase(), game.secret),
      'Basic',
      'Basic ?',
      'Digest x',
      'Bearer x',
      `Basic ${game.secret}`,
    ]) {
      const { status, headers } = await game.xapi().as(authorization).get()
      expect(
        [status, headers.get('access-control-allow-origin'), headers.get('x-experience-api-version')],
        authorization,
      ).toEqual([401, '*', '1.0.3'])
    }
  })

  test('rotated during 1,000 requests: the old secret is 401 after the answer on every core, launch tokens go on', async () => {
    const game = await system.game()
    const launch = await game.launch(player('ann'))
    expect(new Set(await statuses(game.xapi(0)))).not.toContain(401)
    await statuses(game.xapi(1))
    let secret = ''
    let [sent, later] = [0, 0]
    const replies: { status: number; after: boolean }[] = []
    const loop = async (n: number) => {
      while (sent++ < 1_000 || later < 100) {
        const after = secret !== ''
        if (after) later++
        const xapi = game.xapi(n % 2)
        const { status } = await (n % 3 ? xapi.get({ limit: 1 }) : xapi.post([statement()]))
        replies.push({ status, after })
      }
    }
    const rotate = async () => {
      while (sent < 300) await new Promise((done) => setTimeout(done, 1))
      secret = (await system.admin.identity.rotateCredential({ key: game.key })).secret
    }
    await Promise.all([rotate(), ...Array.from({ length: 16 }, (_, n) => loop(n))])
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 401]))
    expect(new Set(replies.filter(({ after }) => after).map(({ status }) => status))).toEqual(new Set([401]))
    for (const gateway of [0, 1, 0, 1]) {
      expect(new Set(await statuses(game.xapi(gateway)))).toEqual(new Set([401]))
      expect(await statuses(game.xapi(gateway).as(basic(game.key, secret)))).not.toContain(401)
      expect(await statuses(game.xapi(gateway).as(launch))).not.toContain(401)
    }
  })

  test('revoked: secret and launch tokens are 401 at once on every core, and another can be issued', async () => {
    const game = await system.game()
    const launch = await game.launch(player('ann'))
    for (const gateway of [0, 1, 0, 1]) {
      await statuses(game.xapi(gateway))
      await statuses(game.xapi(gateway).as(launch))
    }
    await system.admin.identity.revokeCredential({ key: game.key })
    for (const gateway of [0, 1, 0, 1]) {
      expect(new Set(await statuses(game.xapi(gateway)))).toEqual(new Set([401]))
      expect(new Set(await statuses(game.xapi(gateway).as(launch)))).toEqual(new Set([401]))
    }
    expect(await codeOf(system.admin.identity.rotateCredential({ key: game.key }))).toBe(Code.NotFound)
    expect(
      await codeOf(system.admin.identity.mintLaunchToken({ key: game.key, actor: JSON.stringify(player('ann')) })),
    ).toBe(Code.NotFound)
    const next = await system.admin.identity.issueCredential({ gameId: game.id })
    expect((await game.xapi().as(basic(next.key, next.secret)).get()).status).toBe(200)
  })

  test('reach as far as their scopes, else 403 with a message', async () => {
    const chess = activity('scopes').id
    const agent = player('scopes')
    const calls: Record<string, (xapi: XapiClient) => Promise<{ status: number; text: string }>> = {
      write: (xapi) => xapi.post(statement()),
      read: (xapi) => xapi.get(),
      state: (xapi) =>
        xapi.request('PUT', 'activities/state', { query: { activityId: chess, agent, stateId: 'x' }, body: {} }),
      readState: (xapi) => xapi.request('GET', 'activities/state', { query: { activityId: chess, agent } }),
      profile: (xapi) => xapi.request('PUT', 'agents/profile', { query: { agent, profileId: 'x' }, body: {} }),
      readProfile: (xapi) => xapi.request('GET', 'activities/profile', { query: { activityId: chess } }),
    }
    const reach: [Scope, string[]][] = [
      [Scope.STATEMENTS_WRITE, ['write']],
      [Scope.STATEMENTS_READ_MINE, ['read']],
      [Scope.STATEMENTS_READ, ['read']],
      [Scope.STATE, ['state', 'readState']],
      [Scope.PROFILE, ['profile', 'readProfile']],
      [Scope.DEFINE, []],
      [Scope.ALL_READ, ['read', 'readState', 'readProfile']],
      [Scope.ALL, Object.keys(calls)],
    ]
    for (const [scope, allowed] of reach) {
      const xapi = (await system.game([scope])).xapi()
      for (const [name, call] of Object.entries(calls)) {
        const { status, text } = await call(xapi)
        expect(status === 403 ? 'refused' : status < 300 ? 'allowed' : status, `${Scope[scope]} ${name}`).toBe(
          allowed.includes(name) ? 'allowed' : 'refused',
        )
        if (status === 403) expect(JSON.parse(text).message).toContain('scope')
      }
    }
  })

  test('without the scope define, definitions are not kept, statements are', async () => {
    const xapi = (await system.game([Scope.STATEMENTS_WRITE, Scope.STATEMENTS_READ_MINE])).xapi()
    const object = { ...activity('undefined'), definition: { name: { en: 'A' } } }
    await xapi.post(statement({ object }))
    expect((await xapi.all())[0].object).toEqual(object)
    expect((await xapi.request('GET', 'activities', { query: { activityId: object.id } })).json).toEqual({
      objectType: 'Activity',
      id: object.id,
    })
  })
})
