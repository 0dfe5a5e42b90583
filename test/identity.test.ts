import { hash } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootstrap } from '../core/command/credentials.ts'
import { launchTokens } from '../core/access/launch-tokens.ts'
import { openStore } from '../core/store/store.ts'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import { freshDatabase } from './support/database.ts'
import { signingKey, startSystem, tokens, type System } from './support/system.ts'
import { activity, player, statement, voiding } from './support/statements.ts'
import { basic, bearer, type XapiClient } from './support/xapi.ts'

let system: System
let clock = Date.now()
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2, now: () => clock })
})
afterAll(() => system.close())

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok' as const,
    (error) => ConnectError.from(error).code,
  )

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

test('cores that start together on an empty store make one demo game between them', async () => {
  const database = await freshDatabase()
  const store = () => openStore({ url: database.url, connections: 2, wait: 2_000, statementTimeout: 10_000 })
  const stores = Array.from({ length: 6 }, store)
  await Promise.all(
    stores.map((store) => bootstrap(store, 'https://lrs.example.org', { key: 'demo', secret: 'chosen' })),
  )
  await bootstrap(stores[0]!, 'https://lrs.example.org', { key: 'another', secret: 'chosen' })
  expect(await database.sql('select g.name, c.key from game g left join credential c on c.game = g.id')).toEqual([
    { name: 'Demo game', key: 'demo' },
  ])
  await Promise.all(stores.map((store) => store.close()))
  await database.close()
})

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

describe('the identity service', () => {
  test('takes admin only: the portal faces the internet, and this is good for every game', async () => {
    const { connections } = system
    const create = (authorization: string) =>
      codeOf(connections[0]!.as(authorization).identity.createGame({ name: 'x' }))
    expect(await create(bearer(tokens.admin))).toBe('ok')
    for (const role of ['portal', 'player', 'gateway', 'service'] as const)
      expect(await create(bearer(tokens[role])), role).toBe(Code.PermissionDenied)
    for (const wrong of ['', 'Bearer x', bearer(`${tokens.admin}x`), (await system.game()).authorization])
      expect(await create(wrong)).toBe(Code.Unauthenticated)
  })

  test('refuses texts that nothing can hold', async () => {
    expect(await codeOf(system.admin.identity.createGame({ name: 'a\0b' }))).toBe(Code.InvalidArgument)
    expect(await codeOf(system.admin.identity.rotateCredential({ key: 'a\0b' }))).toBe(Code.InvalidArgument)
  })

  test('a service acts for the game that it names, gateway and player never do', async () => {
    const game = await system.game()
    const one = statement()
    await game.xapi().post(one)
    const { connections } = system
    const get = (token: string, key: string) =>
      codeOf(
        connections[1]!.as(bearer(token), { 'x-lrs-credential': key }).statements.getStatement({ statementId: one.id }),
      )
    expect(await get(tokens.service, game.key)).toBe('ok')
    expect(await get(tokens.gateway, game.key)).toBe(Code.PermissionDenied)
    expect(await get(tokens.player, game.key)).toBe(Code.PermissionDenied)
    expect(await get(tokens.service, 'unknown')).toBe(Code.Unauthenticated)
    expect(await get('wrong', game.key)).toBe(Code.Unauthenticated)
  })
})

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
