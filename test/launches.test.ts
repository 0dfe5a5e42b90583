import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { ConnectError } from '@connectrpc/connect'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCore } from '../core/core.ts'
import { createGateway } from '../gateway/app.ts'
import { FailureSchema, Reason } from '../gen/lrs/v1/failure_pb.js'
import { Scope } from '../gen/lrs/v1/identity_pb.js'
import type { Launch, SandboxEvent } from '../gen/lrs/v1/launches_pb.js'
import { attachment, contentPart, jsonPart, multipart, multipartType } from './support/attachments.ts'
import { coreConnection } from './support/core-client.ts'
import { addStudio, stageBuild, type Studio } from './support/studios.ts'
import { startSystem, tokens, type System } from './support/system.ts'
import { activity, player, statement, statements } from './support/statements.ts'
import { basic, bearer, xapiClient } from './support/xapi.ts'

let system: System
let fox: Studio
let owl: Studio
let game: { id: string; slug: string; buildId: string }
beforeAll(async () => {
  system = await startSystem({ cores: 2, gateways: 2, rateLimitFactor: 1 })
  ;[fox, owl] = await Promise.all([addStudio(system, 'Blue Fox'), addStudio(system, 'Owl')])
  game = await publish(fox)
})
afterAll(() => system.close())

async function publish(studio: Studio) {
  const { gameId: id } = await studio.on().games.createGame({ name: 'Quiz' })
  await studio.on().games.updateGame({ gameId: id, name: 'Quiz', summary: 'Three levels', description: '' })
  const buildId = await stageBuild(system, id)
  await studio.on().games.submitForReview({ gameId: id })
  await system.admin.games.decideReview({ gameId: id, buildId, approved: true })
  const { slug } = (await studio.on().games.getGame({ gameId: id })).game!.summary!
  return { id, slug, buildId }
}

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error) => Reason[ConnectError.from(error).findDetails(FailureSchema)[0]!.reason],
  )
const sandbox = async (studio = fox, wanted: { gameId?: string; learnerId?: string; learnerName?: string; live?: boolean } = {}, core = 0): Promise<Launch> => {
  // ten a minute is a test of its own
  await system.database.sql(`delete from portal_window where bucket = 'sandbox'`)
  return (await studio.on(core).launches.openSandbox({ gameId: game.id, ...wanted })).launch!
}
const xapi = (launch: Pick<Launch, 'token'>, gateway = 0) => xapiClient(system.urls[gateway]!, bearer(launch.token))
let ips = 0
const play = (wanted: { learnerName?: string; learnerToken?: string; invitation?: string; slug?: string } = {}, senderIp = `10.1.0.${++ips}`) =>
  system.connections[ips % 2]!.as(bearer(tokens.portal)).launches.startPlay({ slug: game.slug, senderIp, ...wanted })
const payload = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

async function events(launch: Launch, count: number, studio = fox): Promise<SandboxEvent[]> {
  const read = async () => {
    const all: SandboxEvent[] = []
    for await (const { events } of studio.on(1).launches.observe({ sessionId: launch.sessionId, noFollow: true })) all.push(...events)
    return all
  }
  await expect.poll(read).toHaveLength(count)
  return read()
}

describe('a sandbox session', () => {
  test('has everything that a game needs, for a learner made or chosen, and the same again for its studio only', async () => {
    const first = await sandbox(fox, { learnerName: ' Ada  L. ' })
    expect(first).toMatchObject({ buildId: game.buildId, gameId: game.id, learnerName: 'Ada L.', sandbox: true, activityId: `https://lrs.example.org/games/${game.id}` })
    const { learners } = await fox.on().launches.listTestLearners({ gameId: game.id })
    const ada = learners.find(({ name }) => name === 'Ada L.')!
    expect(JSON.parse(first.actor)).toEqual({ objectType: 'Agent', name: 'Ada L.', account: { homePage: 'https://lrs.example.org/learners', name: ada.learnerId } })
    expect(payload(first.token)).toMatchObject({ registration: first.registration, sandbox: first.sessionId })
    const chosen = await sandbox(fox, { learnerId: ada.learnerId })
    expect(chosen).toMatchObject({ actor: first.actor, learnerName: 'Ada L.' })
    expect(chosen.registration).not.toBe(first.registration)
    const again = (await fox.on(1).launches.getSandbox({ sessionId: first.sessionId })).launch!
    expect({ ...again, token: '' }).toEqual({ ...first, token: '' })
    expect((await sandbox()).learnerName).toMatch(/^Test learner \d$/)

    const foreign = [
      owl.on().launches.getSandbox({ sessionId: first.sessionId }), owl.on().launches.openSandbox({ gameId: game.id }),
      owl.on().launches.listTestLearners({ gameId: game.id }), fox.on().launches.openSandbox({ gameId: randomUUID() }),
    ]
    expect(new Set(await Promise.all(foreign.map(reasonOf)))).toEqual(new Set(['NOT_FOUND']))
    expect(await reasonOf(fox.on().launches.openSandbox({ gameId: game.id, learnerId: randomUUID() }))).toBe('INVALID')
    const without = await owl.on().games.createGame({ name: 'Empty' })
    expect(await reasonOf(owl.on().launches.openSandbox({ gameId: without.gameId }))).toBe('NOT_FOUND')
  })

  test('runs the staged build, or the live one when asked to', async () => {
    const { id, buildId } = await publish(owl)
    const staged = await stageBuild(system, id)
    expect((await sandbox(owl, { gameId: id })).buildId).toBe(staged)
    expect((await sandbox(owl, { gameId: id, live: true })).buildId).toBe(buildId)
  })

  test('shares one sandbox with all others of its game, also when the first ones start at once', async () => {
    const studio = await addStudio(system, 'Race')
    const { gameId } = await studio.on().games.createGame({ name: 'Draft' })
    await stageBuild(system, gameId)
    const opened = await Promise.all(Array.from({ length: 8 }, (_, n) => studio.on(n % 2).launches.openSandbox({ gameId })))
    expect(new Set(opened.map(({ launch }) => payload(launch!.token).key)).size).toBe(1)
    const counts = await system.database.sql('select count(*)::int as n from game t join game g on g.id = t.sandbox_of where g.uuid = $1', [gameId])
    expect(counts).toEqual([{ n: 1 }])
    // its studio cannot see the second tenant, nor does it count as a game
    expect((await studio.on().games.listGames({})).games).toHaveLength(1)
  })

  test('can be opened ten times a minute, over all cores; who is refused for another reason has used none', async () => {
    const studio = await addStudio(system, 'Busy')
    const { gameId } = await studio.on().games.createGame({ name: 'Draft' })
    expect(await reasonOf(studio.on().launches.openSandbox({ gameId }))).toBe('NOT_FOUND')
    await stageBuild(system, gameId)
    const tries = await Promise.all(Array.from({ length: 12 }, (_, n) => reasonOf(studio.on(n % 2).launches.openSandbox({ gameId }))))
    expect(tries.sort()).toEqual([...Array.from({ length: 2 }, () => 'RATE_LIMITED'), ...Array.from({ length: 10 }, () => 'ok')])
  })
})

describe('what is tried in a sandbox', () => {
  test('stays there: statements, documents, profiles, definitions, names, attachments; and is consistent within', async () => {
    const launch = await sandbox(fox, { learnerName: 'Tess' })
    const { launch: live } = await play({ learnerName: 'Liv' })
    const admin = await system.game()
    const wide = await system.game([Scope.ALL])
    const inSandbox = xapi(launch)
    const inLive = xapi(live!, 1)
    const thing = `https://games.example.org/activities/${randomUUID()}`
    const content = `replay ${thing}`
    const told = (name: string) => statement({ object: { id: thing, definition: { name: { en: name } } }, attachments: [attachment(content)] })
    const one = told('Sandbox name')
    const stored = await inSandbox.request('POST', 'statements', { body: multipart([jsonPart(one), contentPart(content)]), headers: { 'content-type': multipartType } })
    expect(stored.status, stored.text).toBe(200)

    expect((await inSandbox.get({ statementId: one.id })).json.actor).toEqual(JSON.parse(launch.actor))
    expect((await inSandbox.get({ activity: thing })).json.statements).toHaveLength(1)
    for (const other of [inLive, admin.xapi(), wide.xapi()]) {
      expect((await other.get({ statementId: one.id })).status).toBe(404)
      expect((await other.get({ activity: thing })).json.statements).toEqual([])
      expect((await other.request('GET', 'activities', { query: { activityId: thing } })).status).toBe(404)
    }
    expect((await inSandbox.request('GET', 'activities', { query: { activityId: thing } })).json.definition).toEqual({ name: { en: 'Sandbox name' } })
    expect((await wide.xapi().get({ activity: thing, attachments: true })).text).not.toContain(content)

    const agent = { agent: JSON.parse(launch.actor) }
    expect((await inSandbox.request('GET', 'agents', { query: agent })).json.name).toEqual(['Tess'])
    expect((await admin.xapi().request('GET', 'agents', { query: agent })).status).toBe(404)

    // and the other way round: what live games know is not known in the sandbox
    await inLive.post(statement({ object: { id: thing, definition: { name: { en: 'Live name' } } } }))
    expect((await wide.xapi().get({ activity: thing })).json.statements).toHaveLength(1)
    expect((await inSandbox.request('GET', 'activities', { query: { activityId: thing } })).json.definition).toEqual({ name: { en: 'Sandbox name' } })
    expect((await inLive.request('GET', 'activities', { query: { activityId: thing } })).json.definition).toEqual({ name: { en: 'Live name' } })

    for (const [path, query] of [
      ['activities/profile', { activityId: thing, profileId: 'p' }], ['agents/profile', { ...agent, profileId: 'p' }], ['activities/state', { activityId: thing, ...agent, stateId: 's' }],
    ] as const) {
      expect((await inSandbox.request('PUT', path, { query, body: { from: 'sandbox' } })).status).toBe(204)
      expect((await admin.xapi().request('GET', path, { query })).status).toBe(404)
      expect((await admin.xapi().request('PUT', path, { query, body: { from: 'live' } })).status).toBe(204)
      expect((await inSandbox.request('GET', path, { query })).json).toEqual({ from: 'sandbox' })
      const { profileId: _, stateId: __, ...all } = query as Record<string, string>
      expect((await inSandbox.request('DELETE', path, { query: all })).status).toBe(204)
      expect((await inSandbox.request('GET', path, { query })).status).toBe(404)
      expect((await admin.xapi().request('GET', path, { query })).json).toEqual({ from: 'live' })
    }
    // a learner whom only documents know is known to live games by theirs alone
    const seen = JSON.parse((await sandbox(fox, { learnerName: 'Doc' })).actor)
    const before = await admin.xapi().request('GET', 'agents', { query: { agent: seen } })
    await xapi(await sandbox(fox, { learnerId: seen.account.name })).request('PUT', 'agents/profile', { query: { agent: seen, profileId: 'x' }, body: {} })
    expect([before.status, (await admin.xapi().request('GET', 'agents', { query: { agent: seen } })).status]).toEqual([404, 404])
  })
})

describe('who observes a sandbox session', () => {
  test('sees every request in order, accepted and refused, by gateway or by core, with reason and path', async () => {
    const launch = await sandbox()
    const client = xapi(launch)
    const other = xapi(launch, 1)
    const state = { activityId: activity('chess').id, agent: launch.actor, stateId: 'save' }
    await client.post(statements(2))
    await client.put(randomUUID(), { ...statement(), id: undefined })
    await other.request('PUT', 'activities/state', { query: state, body: { level: 3 } })
    await client.request('GET', 'activities/state', { query: state })
    await client.post([statement(), { ...statement(), verb: { id: 'no iri' } }])
    const agent = JSON.stringify(player('another'))
    await client.request('GET', 'activities/state', { query: { ...state, agent } })
    await client.get({ limit: 5 })
    const beforeGateway = await events(launch, 7)
    await client.get({ bogus: 1 })
    await client.request('POST', 'statements', { body: statement(), headers: { 'x-experience-api-version': undefined } })
    await other.request('PUT', 'activities/state', { query: state, body: 'x'.repeat(600 * 1024), headers: { 'content-type': 'text/plain' } })
    await client.request('PATCH', 'statements')
    await client.request('GET', 'statement')
    await client.request('GET', 'agents', { query: { agent: '{' } })
    await client.post('{"not json')

    const all = await events(launch, 14)
    expect(all.map(({ number }) => Number(number))).toEqual(Array.from({ length: 14 }, (_, n) => n + 1))
    const told = (list: SandboxEvent[]) => list.map(({ request, status, reason, path }) => `${request} ${status} ${reason} ${path}`.trim())
    expect(told(beforeGateway).sort()).toEqual([
      'GET /xapi/activities/state 200', 'GET /xapi/activities/state 403 FORBIDDEN agent', 'GET /xapi/statements 200', 'POST /xapi/statements 200',
      'POST /xapi/statements 400 INVALID statements[1].verb.id', 'PUT /xapi/activities/state 204', 'PUT /xapi/statements 204',
    ])
    expect(told(all.slice(7)).sort()).toEqual([
      'GET /xapi/agents 400 INVALID agent', 'GET /xapi/statement 404 NOT_FOUND', 'GET /xapi/statements 400 INVALID bogus', 'PATCH /xapi/statements 405 INVALID',
      'POST /xapi/statements 400 INVALID', 'POST /xapi/statements 400 INVALID X-Experience-API-Version', 'PUT /xapi/activities/state 413 TOO_LARGE',
    ])
    // each core writes for itself what it took, so the time tells the order and not the number
    const inTime = all.slice(0, 7).sort((a, b) => Number(a.at - b.at))
    const posted = inTime.find(({ message }) => message === 'stored 2 statements')!
    expect(JSON.parse(posted.body)).toHaveLength(2)
    expect(Number(posted.at)).toBeGreaterThan(Date.now() - 60_000)
    expect([posted.at, inTime.at(-1)!.at]).toEqual([inTime[0]!.at, all.find(({ request }) => request === 'GET /xapi/statements')!.at])
    expect(all.find(({ request, status }) => request.startsWith('PUT /xapi/activities') && status === 204)).toMatchObject({ message: 'stored state document “save”, 11 bytes', body: '{"level":3}' })
    expect(all.find(({ path }) => path === 'statements[1].verb.id')).toMatchObject({ message: expect.stringContaining('IRI'), body: expect.stringContaining('no iri') })
  })

  test('is told at once, whichever core took the request, from where it left off; until it goes', async () => {
    const launch = await sandbox()
    await xapi(launch).post(statement())
    await events(launch, 1)
    const numbers: number[] = []
    const leave = new AbortController()
    const watching = (async () => {
      for await (const { events } of fox.on(1).launches.observe({ sessionId: launch.sessionId, after: 1n }, { signal: leave.signal })) {
        numbers.push(...events.map(({ number }) => Number(number)))
      }
    })().catch((error) => ConnectError.from(error).rawMessage)
    const direct = system.connections[0]!.as(bearer(launch.token)).statements
    for (let n = 2; n <= 6; n++) {
      const sent = performance.now()
      await direct.storeStatements({ json: Buffer.from(JSON.stringify(statement())) })
      await expect.poll(() => numbers.at(-1), { interval: 10 }).toBe(n)
      // the slow look comes every five seconds
      if (n > 2) expect(performance.now() - sent).toBeLessThan(3_000)
    }
    expect(numbers).toEqual([2, 3, 4, 5, 6])
    leave.abort()
    expect(await watching).toContain('abort')
    expect(await reasonOf(drain(owl, launch))).toBe('NOT_FOUND')
  })

  test('misses none when many come at once, and the latest 2,000 are kept', async () => {
    const launch = await sandbox()
    await system.database.sql('update launch set events = 1990 where uuid = $1', [launch.sessionId])
    const { store } = system.cores[0]!
    const event = { at: 1, request: 'r', status: 200, message: '', path: '', reason: '', body: 'ä' }
    await Promise.all(Array.from({ length: 20 }, (_, n) => system.cores[n % 2]!.store.sandboxEvents.add(launch.sessionId, [event, event])))
    const all = await store.sandboxEvents.after(launch.sessionId, 0, 3_000)
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, n) => 1991 + n))
    await store.sandboxEvents.add(launch.sessionId, Array.from({ length: 1_990 }, () => event))
    const [{ n, first }] = (await system.database.sql('select count(*)::int as n, min(number)::int as first from sandbox_event where session = $1', [launch.sessionId])) as [{ n: number; first: number }]
    expect([n, first]).toEqual([2_000, 2_021])
  })

  test('sees a request with attachments once, also when it breaks off', async () => {
    const launch = await sandbox()
    const content = 'r'.repeat(300_000)
    const parts = [jsonPart(statement({ attachments: [attachment(content)] })), contentPart(content)]
    const headers = { 'content-type': multipartType }
    const broken = multipart(parts).subarray(0, 200_000)
    expect((await xapi(launch).request('POST', 'statements', { body: broken, headers })).status).toBe(400)
    expect((await xapi(launch).request('POST', 'statements', { body: multipart(parts), headers })).status).toBe(200)
    await events(launch, 2)
    await new Promise((done) => setTimeout(done, 200))
    expect((await events(launch, 2)).map(({ status }) => status).sort()).toEqual([200, 400])
  })

  test('sees the beginning of long bodies up to a whole character, and nothing of what is no text', async () => {
    const launch = await sandbox()
    const query = { activityId: activity('chess').id, agent: launch.actor, stateId: 's' }
    await xapi(launch).request('PUT', 'activities/state', { query, body: `x${'ä'.repeat(10_000)}`, headers: { 'content-type': 'text/plain' } })
    await xapi(launch).request('PUT', 'activities/state', { query, body: Buffer.from([0, 1, 2]), headers: { 'content-type': 'image/png' } })
    const bodies = (await events(launch, 2)).map(({ body }) => body)
    expect(bodies.sort()).toEqual(['', `x${'ä'.repeat(8_191)}`])
  })
})

test('a live game is not watched, but its refusals are counted, those of the gateway too', async () => {
  const other = await publish(owl)
  const { launch } = await play({ slug: other.slug, learnerName: 'Liv' })
  await xapi(launch!).post({ ...statement(), verb: {} })
  await xapi(launch!).get({ bogus: 1 })
  const { actor: agent } = launch!
  // there is none yet: an answer
  expect((await xapi(launch!).request('GET', 'activities/state', { query: { activityId: 'https://a.example/1', agent, stateId: 'save' } })).status).toBe(404)
  await xapi(launch!).get({ agent: JSON.stringify(player('another')) })
  await xapi(launch!).request('GET', 'statement')
  const counted = async () => {
    await Promise.all(system.cores.map(({ refusals }) => refusals.flush()))
    const text = 'select r.request, r.status, r.path from refusal_tally r join game g on g.id = r.game where g.uuid = $1 order by path, request'
    return system.database.sql(text, [other.id])
  }
  await expect.poll(counted).toEqual([
    { request: 'GET /xapi/statement', status: 404, path: '' },
    { request: 'GET /xapi/statements', status: 403, path: 'agent' }, { request: 'GET /xapi/statements', status: 400, path: 'bogus' }, { request: 'POST /xapi/statements', status: 400, path: 'verb.id' },
  ])
  expect(await system.database.sql('select from sandbox_event e join launch l on l.uuid = e.session where l.registration = $1', [launch!.registration])).toEqual([])
})

async function drain(studio: Studio, { sessionId }: Launch): Promise<void> {
  for await (const _ of studio.on().launches.observe({ sessionId })) break
}

describe('a session of a published game', () => {
  test('is for a new learner, for the one who comes back, or for who is invited', async () => {
    const first = await play({ learnerName: 'Ann' })
    expect(first.launch).toMatchObject({ buildId: game.buildId, learnerName: 'Ann', sandbox: false })
    expect(payload(first.launch!.token).sandbox).toBeUndefined()
    const again = await play({ learnerToken: first.learnerToken })
    expect(again).toMatchObject({ learnerToken: first.learnerToken, launch: { actor: first.launch!.actor } })
    expect(again.launch!.registration).not.toBe(first.launch!.registration)
    expect((await play({ learnerToken: first.learnerToken, learnerName: 'Anna' })).launch!.learnerName).toBe('Anna')
    const lost = await play({ learnerToken: 'gone', learnerName: 'Ann' })
    expect(lost.launch!.actor).not.toBe(first.launch!.actor)

    const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ivy' })
    const anybody = system.connections[0]!.as(bearer(tokens.portal)).launches
    expect(await anybody.getInvitation({ slug: game.slug, code })).toMatchObject({ learnerName: 'Ivy' })
    const [one, two] = [await play({ invitation: code }), await play({ invitation: code, learnerName: 'Mallory' })]
    expect(one).toMatchObject({ learnerToken: '', launch: { learnerName: 'Ivy' } })
    expect(two.launch!.actor).toBe(one.launch!.actor)
    const { invitations } = await fox.on(1).launches.listInvitations({ gameId: game.id })
    expect(invitations).toMatchObject([{ learnerName: 'Ivy', used: 2 }])
    expect(Number(invitations[0]!.lastUsed)).toBeGreaterThan(Date.now() / 1000 - 60)
    const named = { gameId: game.id, invitationId: invitations[0]!.invitationId }
    expect(await reasonOf(owl.on().launches.revokeInvitation(named))).toBe('NOT_FOUND')
    await fox.on().launches.revokeInvitation(named)
    const calls = [play({ invitation: code }), anybody.getInvitation({ slug: game.slug, code }), fox.on().launches.revokeInvitation(named)]
    expect(await Promise.all(calls.map(reasonOf))).toEqual(['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'])
    // whoever plays already plays on
    expect((await xapi(two.launch!).post(statement())).status).toBe(200)
    expect((await anybody.getLaunch({ sessionSecret: two.launch!.sessionSecret })).launch!.learnerName).toBe('Ivy')
  })

  test('needs a published game, a name and an address', async () => {
    const draft = await owl.on().games.createGame({ name: 'Draft' })
    const { slug } = (await owl.on().games.getGame({ gameId: draft.gameId })).game!.summary!
    expect(await reasonOf(play({ slug, learnerName: 'Ann' }))).toBe('NOT_FOUND')
    expect(await reasonOf(play({ slug: 'none', learnerName: 'Ann' }))).toBe('NOT_FOUND')
    expect(await reasonOf(play({}))).toBe('INVALID')
    expect(await reasonOf(play({ learnerName: 'a\u0007b' }))).toBe('INVALID')
    expect(await reasonOf(play({ learnerName: 'Ann' }, 'localhost'))).toBe('INVALID')
    expect(await reasonOf(owl.on().launches.createInvitation({ gameId: draft.gameId, learnerName: 'Ann' }))).toBe('CONFLICT')
    const { id, slug: withdrawn } = await publish(owl)
    const { launch } = await play({ slug: withdrawn, learnerName: 'Ann' })
    await owl.on().games.withdraw({ gameId: id })
    expect(await reasonOf(play({ slug: withdrawn, learnerName: 'Ann' }))).toBe('NOT_FOUND')
    expect((await xapi(launch!).post(statement())).status).toBe(200)
  })

  test('can be started 120 times a minute from one address, an IPv6 network counting as one', async () => {
    const senders = Array.from({ length: 121 }, (_, n) => `2001:db8:0:1::${(n + 1).toString(16)}`)
    const tries = await Promise.all(senders.map((senderIp) => reasonOf(play({}, senderIp))))
    expect(tries.filter((reason) => reason === 'RATE_LIMITED')).toHaveLength(1)
    expect(await reasonOf(play({ learnerName: 'Ann' }, '2001:DB8:0:1:ffff::1'))).toBe('RATE_LIMITED')
    expect(await reasonOf(play({ learnerName: 'Ann' }, '2001:db8:0:2::1'))).toBe('ok')
  })
})

describe('the launch context of a session', () => {
  test('is made again for whoever has its secret: same learner and registration, never longer', async () => {
    const { launch } = await play({ learnerName: 'Ann' })
    const asPlayer = system.connections[1]!.as(bearer(tokens.player)).launches
    const again = (await asPlayer.getLaunch({ sessionSecret: launch!.sessionSecret })).launch!
    expect({ ...again, token: '' }).toEqual({ ...launch, token: '' })
    await system.database.sql(`update launch set expires = now() + interval '10 seconds' where uuid = $1`, [launch!.sessionId])
    const late = (await asPlayer.getLaunch({ sessionSecret: launch!.sessionSecret })).launch!
    expect(payload(late.token).exp).toBeLessThanOrEqual(Date.now() / 1000 + 10)
    expect(late.expires).toBe(BigInt(payload(late.token).exp))
    await system.database.sql(`update launch set expires = now() - interval '1 second' where uuid = $1`, [launch!.sessionId])
    for (const sessionSecret of [launch!.sessionSecret, 'none', '']) expect(await reasonOf(asPlayer.getLaunch({ sessionSecret }))).toBe('NOT_FOUND')
  })

  test('is all that a player may ask for', async () => {
    const asPlayer = system.connections[0]!.as(bearer(tokens.player))
    expect(await reasonOf(asPlayer.launches.startPlay({ slug: game.slug, learnerName: 'Ann', senderIp: '10.9.0.1' }))).toBe('FORBIDDEN')
    expect(await reasonOf(asPlayer.launches.openSandbox({ gameId: game.id }))).toBe('FORBIDDEN')
    expect(await reasonOf(asPlayer.games.listPublishedGames({}))).toBe('FORBIDDEN')
    expect(await reasonOf(asPlayer.quotas.getUsage({}))).toBe('FORBIDDEN')
    const stranger = system.connections[0]!.as(basic('a', 'b'))
    expect(await reasonOf(stranger.launches.getLaunch({ sessionSecret: 'x' }))).toBe('UNAUTHENTICATED')
  })

  test('ends with the credential, and an ended session is forgotten after a day', async () => {
    const { slug } = await publish(owl)
    const { launch } = await play({ slug, learnerName: 'Ann' })
    await system.admin.identity.revokeCredential({ key: payload(launch!.token).key })
    const anybody = system.connections[0]!.as(bearer(tokens.portal)).launches
    expect(await reasonOf(anybody.getLaunch({ sessionSecret: launch!.sessionSecret }))).toBe('NOT_FOUND')
    await system.database.sql(`update launch set expires = now() - interval '2 days' where uuid = $1`, [launch!.sessionId])
    expect(await system.cores[0]!.store.launches.sweep(24 * 60 * 60, 10)).toBe(1)
  })
})

test('a session whose two hours are over is refused, seen to be refused by its studio, and cannot be had again', async () => {
  let late = 0
  const own = await startSystem({ now: () => Date.now() + late })
  try {
    const studio = await addStudio(own, 'Late')
    const { gameId } = await studio.on().games.createGame({ name: 'Draft' })
    await stageBuild(own, gameId)
    const launch = (await studio.on().launches.openSandbox({ gameId })).launch!
    const client = xapiClient(own.urls[0]!, bearer(launch.token))
    expect((await client.post(statement())).status).toBe(200)
    late = 2 * 60 * 60 * 1000 + 1_000
    expect((await client.post(statement())).status).toBe(401)
    expect((await client.get({ bogus: 1 })).status).toBe(400)
    const seen = async () => {
      const all: string[] = []
      for await (const { events } of studio.on().launches.observe({ sessionId: launch.sessionId, noFollow: true })) all.push(...events.map(({ status, reason, path }) => `${status} ${reason} ${path}`.trim()))
      return all
    }
    await expect.poll(seen).toEqual(['200', '401 UNAUTHENTICATED', '400 INVALID bogus'])
    expect(await reasonOf(studio.on().launches.getSandbox({ sessionId: launch.sessionId }))).toBe('NOT_FOUND')
    expect(await reasonOf(own.admin.launches.getLaunch({ sessionSecret: launch.sessionSecret }))).toBe('NOT_FOUND')
  } finally {
    await own.close()
  }
})

test('no token, secret or code is in the log of gateway or core, however the request fails', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }))
  const core = await createCore({ ...system.cores[0]!.config, port: 0, relayPort: 0, logLevel: 'debug' }, { log })
  const gateway = createGateway(
    {
      host: '127.0.0.1', port: 0, cores: [`http://127.0.0.1:${core.relayPort}`], serviceToken: tokens.gateway, defaultVersion: '1.0.3', dialect: 'games',
      logLevel: 'debug', relayTimeoutMs: 20_000, attachmentsMaxBytes: 1024 * 1024,
    },
    { log },
  )
  const launch = await sandbox()
  const client = xapiClient(`http://127.0.0.1:${await gateway.listen()}`, bearer(launch.token))
  const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ida' })
  await client.post(statement())
  await client.request('GET', 'statements', { query: { auth: launch.token } })
  await client.request('GET', `statement/${launch.token}`)
  await client.as(bearer(`${launch.token}x`)).get()
  const connection = coreConnection(core.port)
  const { launches } = connection.as(bearer(tokens.portal))
  await launches.getLaunch({ sessionSecret: launch.sessionSecret })
  await launches.startPlay({ slug: game.slug, invitation: code, senderIp: '10.2.0.1' })
  // a fault of our own, which the log has whole
  core.store.launches.bySecret = () => Promise.reject(new Error('lost the thread'))
  expect(await reasonOf(launches.getLaunch({ sessionSecret: launch.sessionSecret }))).toBe('INTERNAL')
  connection.close()
  await gateway.close()
  await core.close()
  const said = lines.join('')
  expect(said).toContain('lost the thread')
  expect(said).toContain('answered')
  for (const secret of [launch.token, launch.sessionSecret, code, tokens.portal]) expect(said).not.toContain(secret)
})

test('secrets and codes are in the database as hashes only', async () => {
  const launch = await sandbox()
  const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ida' })
  const { learnerToken } = await play({ learnerName: 'Ida' })
  for (const table of ['launch', 'invitation', 'learner', 'sandbox_event']) {
    const rows = JSON.stringify(await system.database.sql(`select t::text as row from ${table} t`))
    for (const secret of [launch.sessionSecret, launch.token, code, learnerToken]) expect(rows).not.toContain(secret)
  }
})
